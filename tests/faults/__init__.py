"""Harnesses that break things: kills, damaged files, hostile input; at full size by `make faults`."""
