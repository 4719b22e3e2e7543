import pytest

from crawlmesh.cli.distribution.greeting import greet_master
from crawlmesh.settings import load_settings
from crawlmesh.wiring.keys import MasterKeys


def test_a_master_that_did_not_make_the_admin_key_says_where_it_is_and_how_to_make_another(
    capsys: pytest.CaptureFixture[str],
) -> None:
    greet_master(load_settings({}), "http://127.0.0.1:8000", MasterKeys(api_key=None, join_token="token"))
    told = " ".join(capsys.readouterr().out.split())
    assert "Admin key there is one already: in cluster/connection.json of the data folder of the" in told
    assert "`crawlmesh key create NAME --role admin` makes another" in told
