from crawlmesh.api.errors import _CODES_OF_STATUSES, _STATUSES, ERROR_MEANINGS


def test_every_code_has_a_meaning_and_its_status() -> None:
    told = {code: status for _, status, code in _STATUSES} | {
        code: status for status, code in _CODES_OF_STATUSES.items()
    }
    assert {**told, "internal": 500} == {code: status for code, (status, _) in ERROR_MEANINGS.items()}
