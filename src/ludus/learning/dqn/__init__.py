"""Deep Q-learning: a network says what each action is worth, and learns from moves that it remembers."""
