"""A runtime for trees of Turns that knows nothing about plans."""
