"""The editing loop: propose a batch of synthetic rows, retrain, keep it if the training objective rises."""
