"""Learners: algorithms that turn games into agents, and the training that they share."""
