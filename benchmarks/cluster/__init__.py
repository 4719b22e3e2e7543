"""The cluster beside other task queues, and against its own bars: `python -m benchmarks.cluster --help`."""
