"""Plans as graphs of tasks: checked, run as trees of Turns, and inspected."""
