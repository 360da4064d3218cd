"""A match: people, seats, stakes, and what follows from every hand played."""
