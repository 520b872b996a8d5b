"""Ways to put rules into a model, and not only into its data: columns that switch them on."""
