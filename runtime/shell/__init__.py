"""The only floor that runs tasks: the loop of a Turn, admission, attach, park and wake, streams (floor F3)."""
