"""Tools: typed Python functions, the schema of their arguments, and the check of a call against it."""
