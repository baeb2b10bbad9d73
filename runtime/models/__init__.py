"""Models: the scripted one, which plays prepared replies."""
