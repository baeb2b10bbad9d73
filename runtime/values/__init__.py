"""Frozen values of the runtime: they know no trio, no clock and no serialisation (floor F0)."""
