import os
import subprocess
import sys

_DECODERS_COME_AND_GO = """
import gc, msgspec
from crawlmesh.api import app, requests
from crawlmesh.api.distribution import shapes
from crawlmesh.protocol import node_messages
kinds = [kind for module in (requests, shapes, node_messages) for kind in vars(module).values()
         if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind is not msgspec.Struct]
for kind in kinds:
    fields = [field.type for field in msgspec.structs.fields(kind)]
    decoders = [msgspec.json.Decoder(each) for each in (kind, *fields)]
    del decoders
    gc.collect()
"""


def test_no_message_has_a_type_that_crashes_msgspec() -> None:
    environment = {**os.environ, "PYTHONMALLOC": "debug"}  # what was freed is seen to be
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", _DECODERS_COME_AND_GO],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
