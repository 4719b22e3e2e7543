from crawlmesh.api.shapes.events import event_shape
from crawlmesh.model.event import Event, EventType


def test_moments_in_the_data_of_an_event_look_like_those_elsewhere() -> None:
    data = {
        "task_id": "t",
        "last_heartbeat": 1_700_000_000.0,
        "result": {"success": True, "timestamp": 1_700_000_000.5, "data": {"timestamp": 3}},
        "task_info": {"created_at": 1_700_000_000.0, "parameters": {"created_at": 3}},
        "heartbeat": {"at": 1_700_000_000.0},
    }
    shown = event_shape(Event(type=EventType.TASK_COMPLETED, at=0.0, data=data)).data
    assert shown == {
        "task_id": "t",
        "last_heartbeat": "2023-11-14T22:13:20Z",
        "result": {"success": True, "timestamp": "2023-11-14T22:13:20.500Z", "data": {"timestamp": 3}},
        "task_info": {"created_at": "2023-11-14T22:13:20Z", "parameters": {"created_at": 3}},
        "heartbeat": {"at": 1_700_000_000.0},
    }
