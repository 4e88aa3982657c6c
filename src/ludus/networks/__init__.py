"""Networks: what they see of a game, how they are made and asked; nothing here imports JAX until a network is asked."""
