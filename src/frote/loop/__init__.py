"""The editing loop: propose a batch of synthetic rows, retrain, keep the batch if the objective rises."""
