"""The five papers behind Ludus, each run again in a folder of its own."""
