"""Other task queues, each in a virtual environment of its own. They import nothing of Crawlmesh."""
