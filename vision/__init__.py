"""From pictures to readings: find the tiles, place them, decode them with the rules in mind."""
