"""The figures of ``boundkit figure``: requests, makers, records, and the folder of all of them."""
