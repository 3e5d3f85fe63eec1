"""What a user reads when something is refused, and what the messages are made of."""
