from crawlmesh.control.options import ControlOptions
from crawlmesh.settings import load_settings
from crawlmesh.wiring.control import control_options


def test_the_defaults_of_the_options_are_those_of_the_settings() -> None:
    assert control_options(load_settings({"mode": "master"})) == ControlOptions()


def test_silence_is_counted_from_the_last_heartbeat_for_both_time_outs() -> None:
    options = control_options(load_settings({"heartbeat_interval": 10.0, "device_timeout": 120.0}))
    assert (options.heartbeat_timeout, options.device_timeout) == (30.0, 120.0)
    short = control_options(load_settings({"heartbeat_interval": 60.0, "device_timeout": 100.0}))
    assert (short.heartbeat_timeout, short.device_timeout) == (100.0, 100.0)
