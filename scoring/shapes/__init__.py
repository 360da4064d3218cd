"""Winning shapes: every split of the tiles, the tiles waited for, and how far a hand is from a win."""
