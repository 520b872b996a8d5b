"""How good a model is in the numbers that its users know, whatever the rules say."""
