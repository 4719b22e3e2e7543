"""The messages between master and worker.

Imported by api, control, worker and the client; imports only the model. JSON on the wire, but for the calls
to the crawl store, which are MessagePack.
"""
