"""Examples for the description: those of S2 8.6, and our own where it has none."""

from typing import Any

TASK_REQUEST: dict[str, Any] = {
    "project_id": "proj-123",
    "workflow_id": "inst-1a2b3c4d5e6f",
    "task_type": "web_crawl",
    "parameters": {
        "url": "https://example.com/products",
        "depth": 2,
        "selectors": {"product": "div.product", "title": "h2.title", "price": "span.price"},
    },
    "priority": 7,
    "min_resources": {"memory_mb": 4096, "cpu_cores": 2},
    "capabilities": {"javascript_rendering": 1, "proxy_rotation": 1},
    "schedule_strategy": "least_loaded",
    "target_region": "us",
    "content_features": {"content_type": "html", "technology": "react"},
}
CREATED_TASK: dict[str, Any] = {
    "id": "task-123",
    "status": "pending",
    "created_at": "2023-06-15T10:30:45Z",
    "priority": 7,
}
RESULT: dict[str, Any] = {
    "success": True,
    "data": {
        "products": [
            {"title": "Product 1", "price": "$19.99", "url": "/products/1"},
            {"title": "Product 2", "price": "$29.99", "url": "/products/2"},
        ]
    },
    "metrics": {"pages_crawled": 15, "processing_time": 125.4, "data_size": 4294967},
    "timestamp": "2023-06-15T10:35:20Z",
}
TASK: dict[str, Any] = {
    "id": "task-123",
    **TASK_REQUEST,
    "status": "completed",
    "created_at": "2023-06-15T10:30:45Z",
    "updated_at": "2023-06-15T10:35:20Z",
    "assigned_node": "node-1a2b3c4d",
    "assigned_at": "2023-06-15T10:31:10Z",
    "completed_at": "2023-06-15T10:35:20Z",
    "result": RESULT,
    "retry_count": 0,
    "max_retries": 3,
    "categories": [],
    "max_nodes": 8,
    "losses": 0,
}
EXECUTION: dict[str, Any] = {
    "id": "exec-01HF3Z8Q4V6N2K7M9P1R3T5W7X",
    "task_id": "task-123",
    "node_id": "node-1a2b3c4d",
    "start_time": "2023-06-15T10:31:10Z",
    "status": "running",
    "metrics": {},
    "retry_count": 0,
    "deadline": "2023-06-15T11:31:10Z",
    "allocation": {"cpu_cores": 2.0, "memory_mb": 4096.0, "gpu": 0.0},
    "strategy": "least_loaded",
    "choice": "It had the fewest tasks for its places: 1 of 8.",
    "fence": 2,
}
REGISTRATION: dict[str, Any] = {
    "name": "crawler-node-01",
    "description": "Main crawler node in US East region",
    "ip_address": "192.168.1.101",
    "port": 8000,
    "node_type": "standard",
    "capabilities": {
        "content_types": ["html", "json", "xml"],
        "technologies": ["react", "angular", "wordpress"],
        "anti_crawling_bypass": ["user-agent", "proxy"],
    },
    "resources": {"cpu": 8, "memory_mb": 16384, "gpu": 1, "network_bandwidth_mbps": 1000},
}
REGISTERED: dict[str, Any] = {
    "node_id": "node-1a2b3c4d",
    "registration_time": 1686825045.123,
    "initial_status": "online",
    "token": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "session": 1,
    "cluster_id": "default",
    "heartbeat_interval": 30.0,
}
HEARTBEAT: dict[str, Any] = {
    "resources": {"cpu_usage": 0.65, "memory_usage": 0.75, "gpu_usage": 0.45},
    "load": 0.8,
    "active_tasks": ["task-123", "task-456"],
}
HEARTBEAT_ANSWER: dict[str, Any] = {
    "node_id": "node-1a2b3c4d",
    "timestamp": 1686825045.123,
    "status": "online",
}
NODE: dict[str, Any] = {
    "id": "node-1a2b3c4d",
    "cluster_id": "default",
    **REGISTRATION,
    "status": "online",
    "last_heartbeat": "2023-06-15T10:30:45Z",
    "health": {
        "status": "healthy",
        "details": {"cpu_usage": 0.65, "memory_usage": 0.75, "task_count": 2},
        "timestamp": "2023-06-15T10:30:30Z",
    },
    "created_at": "2023-06-15T10:00:00Z",
    "updated_at": "2023-06-15T10:00:00Z",
    "region": "us",
    "slots": 3,
    "weight": 1.0,
    "task_types": ["web_crawl"],
    "load": 0.8,
    "usage": {"cpu_usage": 0.65, "memory_usage": 0.75, "gpu_usage": 0.45},
    "active_tasks": 2,
    "session": 1,
}
CLUSTER: dict[str, Any] = {
    "id": "cluster-01HF3Z8Q4V6N2K7M9P1R3T5W7X",
    "project_id": "default",
    "name": "us-east",
    "description": "Nodes in the east",
    "configuration": {},
    "status": "active",
    "created_at": "2023-06-15T10:00:00Z",
    "updated_at": "2023-06-15T10:00:00Z",
}
EVENT: dict[str, Any] = {
    "id": 4711,
    "type": "task.completed",
    "at": "2023-06-15T10:35:20Z",
    "task_id": "task-123",
    "node_id": "node-1a2b3c4d",
    "data": {"task_id": "task-123", "node_id": "node-1a2b3c4d", "result": {"success": True}},
}
LOG_LINE: dict[str, Any] = {
    "id": 12,
    "task_id": "task-123",
    "execution_id": "exec-01HF3Z8Q4V6N2K7M9P1R3T5W7X",
    "node_id": "node-1a2b3c4d",
    "at": "2023-06-15T10:31:12Z",
    "level": "INFO",
    "message": "Fetched 15 pages.",
}
HOST_LIMITS: dict[str, Any] = {"delay": 2.5, "slots": 1, "blocked": False}
HOST: dict[str, Any] = {
    "host": "example.com",
    "blocked": False,
    "delay": 2.5,
    "slots": 1,
    "limits": HOST_LIMITS,
    "state": {
        "host": "example.com",
        "delay": 0.0,
        "slots": 4,
        "exclusive": False,
        "pressure": 0.0,
        "failures": 0,
        "crawl_delay": 0.0,
        "robots_status": "rules",
        "robots_at": "2023-06-15T10:31:02Z",
    },
    "queued": 120,
    "running": 1,
    "done": 48,
    "dead": 2,
    "mean_elapsed": 0.21,
    "ready_in": 1.3,
}
RECORD: dict[str, Any] = {
    "url": "https://example.com/products/1",
    "final_url": "https://example.com/products/1",
    "status": 200,
    "depth": 1,
    "fetched_at": "2023-06-15T10:31:12Z",
    "data": {"title": "Product 1", "price": "$19.99"},
}
FAILURE: dict[str, Any] = {
    "url": "https://example.com/products/7",
    "host": "example.com",
    "reason": "http_500",
    "http_status": 500,
    "attempts": 4,
    "at": "2023-06-15T10:31:12Z",
    "link_id": 42,
}
PREVIEW: dict[str, Any] = {
    "url": "https://example.com/products/1",
    "final_url": "https://example.com/products/1",
    "status": 200,
    "content_type": "text/html; charset=utf-8",
    "kind": "html",
    "bytes": 5120,
    "title": "Product 1",
    "elapsed": 0.21,
    "data": {"title": "Product 1", "price": "$19.99"},
    "links": 24,
    "outline": [
        {
            "selector": "h1.title",
            "tag": "h1",
            "id": None,
            "classes": ["title"],
            "text": "Product 1",
            "attributes": {},
            "count": 1,
            "children": [],
        }
    ],
    "truncated": False,
    "problem": None,
    "field_problems": {},
}
PROGRESS: dict[str, Any] = {
    "task_id": "task-123",
    "finished": False,
    "added": 40,
    "pending": 20,
    "leased": 5,
    "done": 14,
    "dead": 1,
    "records": 12,
    "bytes": 4294967,
    "skipped": 8,
    "retries": 2,
    "pages": 14,
    "by_outcome": {"fetched": 14, "failed": 1},
    "by_status": {"200": 14, "404": 1},
    "by_rule": {"host": 8},
    "by_reason": {"status_404": 1},
    "filter": None,
}
KEY: dict[str, Any] = {
    "id": "key-01HF3Z8Q4V6N2K7M9P1R3T5W7X",
    "name": "dashboard",
    "role": "viewer",
    "created_at": "2023-06-15T10:00:00Z",
}
CLUSTER_POINT: dict[str, Any] = {
    "at": "2023-06-15T10:30:40Z",
    "pages": 84.2,
    "bytes": 3120000,
    "errors": 0.4,
    "queued": 18210,
    "running": 12,
    "pending": 3,
    "nodes": {"online": 8, "offline": 1},
}
CLUSTER_SERIES: dict[str, Any] = {
    "span": "15m",
    "step": 5,
    "from": "2023-06-15T10:15:50Z",
    "to": "2023-06-15T10:30:45Z",
    "points": [CLUSTER_POINT],
}
TASK_SERIES: dict[str, Any] = {
    **CLUSTER_SERIES,
    "points": [
        {
            "at": "2023-06-15T10:30:40Z",
            "pages": 12.6,
            "bytes": 480000,
            "errors": 0.2,
            "queued": 20,
            "done": 14,
            "dead": 1,
            "records": 12,
        }
    ],
}
NODE_SERIES: dict[str, Any] = {
    **CLUSTER_SERIES,
    "points": [
        {
            "at": "2023-06-15T10:30:40Z",
            "cpu": 0.42,
            "memory": 0.61,
            "load": 0.42,
            "received": 480000,
            "sent": 21000,
            "disk": 0.35,
            "pages": 12.6,
            "active_tasks": 2,
        }
    ],
}
ATTENTION: dict[str, Any] = {
    "items": [
        {
            "kind": "node_silent",
            "severity": "error",
            "subject": {"type": "node", "id": "node-1a2b3c4d"},
            "reason": "It has said nothing since 2023-06-15T10:28:12Z; its work went to others.",
            "since": "2023-06-15T10:28:12Z",
        }
    ],
    "more": 0,
}


def page_of(item: dict[str, Any]) -> dict[str, Any]:
    """A page with one item, the last one."""
    return {"items": [item], "next_cursor": None}
