"""Measures the API calls of the dashboard's pages on a cluster with a million tasks."""
