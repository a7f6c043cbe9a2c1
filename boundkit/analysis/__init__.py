"""Analysis of theorems: predictions, tuning, rounds, rates, regimes, sensitivities, comparisons."""
