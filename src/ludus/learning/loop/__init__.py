"""What learners share: the training loop, its plan, schedules, restrictions, and evaluation."""
