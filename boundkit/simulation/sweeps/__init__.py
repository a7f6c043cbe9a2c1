"""Many runs: shared out to workers, and each kept as soon as it is done, so that a second call resumes."""
