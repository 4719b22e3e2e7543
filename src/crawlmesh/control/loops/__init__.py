"""What happens by itself on the master that leads: one loop for each file, all with the same contract."""
