"""The machines and the arithmetic of a Turn: pure, driven by whoever likes (floor F1)."""
