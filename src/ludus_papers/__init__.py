"""The five papers behind Ludus, each replicated in a folder of its own."""
