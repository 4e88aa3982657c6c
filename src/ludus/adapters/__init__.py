"""Ludus beside other libraries: each module needs the extra of its name, and is imported by nobody else."""
