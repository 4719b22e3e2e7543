from pathlib import Path
from typing import Any

import pytest

from crawlmesh.errors import SettingError
from crawlmesh.settings import (
    ENVIRONMENT_PREFIX,
    GROUPS,
    Mode,
    Settings,
    load_settings,
    mode_file,
    settings_reference,
)


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(ENVIRONMENT_PREFIX + name.upper(), raising=False)


def _file(text: str, name: str = "crawlmesh.toml") -> Path:
    path = Path(name)
    path.write_text(text)
    return path


def _message(flags: dict[str, Any], config: Path | None = None) -> str:
    with pytest.raises(SettingError) as caught:
        load_settings(flags, config)
    return str(caught.value)


def test_without_anything_the_defaults_count() -> None:
    assert load_settings({}).model_fields_set == set()
    assert load_settings({}).concurrency == 64


def test_flags_win_over_the_environment_over_the_file_over_the_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _file("concurrency = 3\nper_host = 3\ndelay = 3.0\n")
    monkeypatch.setenv("CRAWLMESH_CONCURRENCY", "2")
    monkeypatch.setenv("CRAWLMESH_PER_HOST", "2")
    settings = load_settings({"concurrency": 1})
    assert (settings.concurrency, settings.per_host, settings.delay) == (1, 2, 3.0)
    assert settings.processes == 1


def test_a_flag_that_was_not_given_is_left_to_the_others() -> None:
    _file("delay = 3.0\n")
    assert load_settings({"delay": None, "concurrency": None}).delay == 3.0


def test_a_named_file_is_read_in_place_of_the_usual_one() -> None:
    _file("delay = 3.0\n")
    assert load_settings({}, _file("delay = 4.0\n", "other.toml")).delay == 4.0


def test_lists_come_from_every_source(monkeypatch: pytest.MonkeyPatch) -> None:
    _file('headers = ["A: 1"]\ncookies = ["a=1"]\ntracking_parameters = ["utm_*"]\n')
    monkeypatch.setenv("CRAWLMESH_COOKIES", '["b=2", "c=3"]')
    settings = load_settings({"headers": ("B: 2",)})
    assert settings.headers == ("B: 2",)
    assert settings.cookies == ("b=2", "c=3")
    assert settings.tracking_parameters == ("utm_*",)


@pytest.mark.parametrize("value", ["a=1", "[unfinished", "{'a': 1}"])
def test_a_list_in_the_environment_that_is_not_json_is_refused(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CRAWLMESH_COOKIES", value)
    message = _message({})
    assert "cookies (environment CRAWLMESH_COOKIES)" in message
    assert repr(value) in message
    assert "JSON list" in message


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("concurrency", 0, "greater than or equal to 1"),
        ("concurrency", 99_999, "less than or equal to 10000"),
        ("per_host", "many", "valid integer"),
        ("delay", -1, "greater than or equal to 0"),
        ("rate", 0, "greater than 0"),
        ("processes", 1000, "less than or equal to 256"),
        ("proxy", "localhost:3128", "must start with http://"),
        ("http2", "perhaps", "valid boolean"),
        ("user_agent", "", "at least 1 character"),
        ("max_body_bytes", 5, "greater than or equal to 1024"),
        ("lease_duration", 0.1, "greater than or equal to 1"),
        ("headers", 5, "valid tuple"),
    ],
)
def test_a_bad_value_names_the_setting_the_value_and_what_is_allowed(
    name: str, value: object, allowed: str
) -> None:
    message = _message({name: value})
    assert message.startswith(f"The setting {name} (flag) has the value {value!r}: it ")
    assert allowed in message


@pytest.mark.parametrize(("name", "form"), [("headers", "'Name: value'"), ("cookies", "'name=value'")])
def test_each_header_and_cookie_must_have_its_form(name: str, form: str) -> None:
    message = _message({name: ("nothing of the kind",)})
    assert (
        f"The setting {name} (flag) has the value 'nothing of the kind': it must be of the form {form}"
        in message
    )


def test_a_bad_value_names_its_source(monkeypatch: pytest.MonkeyPatch) -> None:
    path = _file("delay = -1\n")
    assert "The setting delay (file) has the value -1" in _message({})
    path.unlink()
    monkeypatch.setenv("CRAWLMESH_DELAY", "-2")
    assert "The setting delay (environment CRAWLMESH_DELAY) has the value '-2'" in _message({})


def test_a_bad_value_in_the_environment_is_not_blamed_on_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    _file("delay = 1\n")
    monkeypatch.setenv("CRAWLMESH_DELAY", "-2")
    assert "(environment CRAWLMESH_DELAY) has the value '-2'" in _message({})


@pytest.mark.parametrize("value", ["nan", "inf"])
@pytest.mark.parametrize("name", ["delay", "total_timeout", "retry_base", "rate", "settle_after"])
def test_numbers_must_be_finite(name: str, value: str) -> None:
    assert f"The setting {name} (flag)" in _message({name: float(value)})


@pytest.mark.parametrize("user_agent", [" ", "/1.0", " bot/1.0", "a\r\nX-Evil: 1"])
def test_a_user_agent_must_have_a_name_that_robots_files_can_be_searched_for(user_agent: str) -> None:
    assert "The setting user_agent (flag)" in _message({"user_agent": user_agent})


@pytest.mark.parametrize(
    ("user_agent", "agent"),
    [("crawlmesh/1.0", "crawlmesh"), ("my bot", "my"), ("Bot/2 (+https://a.b)", "Bot")],
)
def test_robots_files_are_searched_for_the_first_word(user_agent: str, agent: str) -> None:
    assert load_settings({"user_agent": user_agent}).robots_agent == agent


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    assert "There is no setting 'dealy'. The settings are: data_dir," in _message({"dealy": 1})
    _file("dealy = 1\n")
    assert "There is no setting 'dealy'" in _message({})


def test_an_unknown_name_in_the_environment_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRAWLMESH_DEALY", "1")
    assert "There is no setting 'dealy' (environment CRAWLMESH_DEALY)" in _message({})


def test_the_switch_for_debugging_is_no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRAWLMESH_DEBUG", "1")
    assert load_settings({}).model_fields_set == set()


def test_a_file_that_cannot_be_read_is_refused() -> None:
    assert "nowhere.toml cannot be read: No such file" in _message({}, Path("nowhere.toml"))
    assert "is not valid TOML" in _message({}, _file("delay = = 1\n", "bad.toml"))
    Path("latin.toml").write_bytes(b'user_agent = "\xe9"\n')
    assert "is not valid TOML" in _message({}, Path("latin.toml"))


def test_the_reference_names_every_setting() -> None:
    reference = settings_reference()
    for name in Settings.model_fields:
        assert f"| `{name}` | `CRAWLMESH_{name.upper()}` |" in reference


def test_a_file_may_be_json_by_its_name() -> None:
    settings = load_settings({}, _file('{"mode": "worker", "delay": 2}', "worker.json"))
    assert (settings.mode, settings.delay) == (Mode.WORKER, 2.0)
    assert "bad.json is not valid JSON" in _message({}, _file("{", "bad.json"))
    assert "list.json must hold an object" in _message({}, _file("[]", "list.json"))


def test_empty_values_of_a_file_leave_the_choice_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    path = _file('{"device_id": "", "master_url": "", "api_key": null, "region": ""}', "c.json")
    settings = load_settings({}, path)
    assert settings.model_fields_set == set()
    monkeypatch.setenv("CRAWLMESH_API_KEY", "")
    assert load_settings({}, path).api_key is None
    assert "user_agent (file) has the value ''" in _message({}, _file('{"user_agent": ""}', "d.json"))


def test_the_file_of_a_mode_wins_over_the_usual_one_and_a_named_one_stands_alone() -> None:
    _file("delay = 1\nper_host = 2\n")
    mode = _file('{"delay": 3}', "mode.json")
    both = load_settings({}, default_file=mode)
    assert (both.delay, both.per_host) == (3.0, 2)
    assert load_settings({}, _file("delay = 5\n", "named.toml"), default_file=mode).delay == 5.0
    assert load_settings({}, default_file=Path("none.json")).delay == 1.0
    assert mode_file(Mode.MASTER) == Path("config/distribution_master.json")


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("mode", "queen", "'standalone', 'master' or 'worker'"),
        ("port", 65_536, "less than or equal to 65535"),
        ("master_url", "master:8000", "http://master:8000"),
        ("master_url", "http://a:1,,", "http://master:8000"),
        ("control_store", "mysql://x", "postgresql://"),
        ("crawl_store", "memory:", "sqlite:///"),
        ("device_id", "a b", "letters, digits"),
        ("log_level", "LOUD", "'DEBUG'"),
        ("max_cpu_usage", 2, "less than or equal to 1"),
        ("concurrent_tasks", 0, "greater than or equal to 1"),
    ],
)
def test_settings_of_a_cluster_are_checked(name: str, value: object, allowed: str) -> None:
    message = _message({name: value})
    assert message.startswith(f"The setting {name} (flag) has the value {value!r}: it ")
    assert allowed in message


def test_keys_are_not_shown_in_messages() -> None:
    message = _message({"api_key": "top secret"})
    assert "top secret" not in message
    assert "without spaces" in message


def test_addresses_of_masters_are_split_and_cleaned() -> None:
    assert load_settings({"master_url": "http://a:1/, https://b"}).master_urls == ["http://a:1", "https://b"]
    assert load_settings({}).master_urls == []


def test_silence_is_three_heartbeats_unless_said_otherwise() -> None:
    assert load_settings({}).silence == 90.0
    assert load_settings({"device_timeout": 60}).silence == 60.0
    assert load_settings({"heartbeat_timeout": 5}).silence == 5.0


def test_a_worker_takes_any_port_unless_told_one() -> None:
    assert load_settings({"mode": "worker"}).worker_port == 0
    assert load_settings({"mode": "worker", "port": 9_000}).worker_port == 9_000
    assert load_settings({"mode": "standalone", "port": 9_000}).worker_port == 0


def test_capabilities_come_as_json_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRAWLMESH_CAPABILITIES", '{"javascript_rendering": 1}')
    assert load_settings({}).capabilities == {"javascript_rendering": 1}
    monkeypatch.setenv("CRAWLMESH_CAPABILITIES", "javascript")
    assert "JSON object" in _message({})


@pytest.mark.parametrize("value", ["none", ""])
def test_the_log_file_can_be_switched_off(value: str) -> None:
    assert load_settings({}, _file(f'log_file = "{value}"\n')).log_file is None


def test_every_setting_belongs_to_one_group() -> None:
    grouped = [name for group in GROUPS.values() for name in group.model_fields]
    assert grouped == list(Settings.model_fields)
