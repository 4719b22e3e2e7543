import gzip
from pathlib import Path

import msgspec

from crawlmesh.adapters.files import JsonlWriter
from crawlmesh.model.record import Record
from crawlmesh.testing.conformance.record_writer import sample_record


def _record(data: bytes) -> Record:
    return msgspec.structs.replace(sample_record(1), url="https://a/ü", data=data)


def test_the_line_is_exactly_this(tmp_path: Path) -> None:
    writer = JsonlWriter(tmp_path / "x.jsonl")
    writer.write([_record('{"b":1.50,"a":"東京"}'.encode())])
    writer.close()
    assert (tmp_path / "x.jsonl").read_text("utf-8") == (
        '{"url":"https://a/ü","final_url":"https://example.org/seite/1/","status":200,"depth":1,'
        '"fetched_at":"2026-11-15T09:12:20.123Z","data":{"b":1.50,"a":"東京"}}\n'
    )


def test_data_with_line_breaks_stays_on_one_line(tmp_path: Path) -> None:
    writer = JsonlWriter(tmp_path / "x.jsonl")
    writer.write([_record(b'{\r\n "a": "x\\ny"\n}')])
    writer.close()
    content = (tmp_path / "x.jsonl").read_bytes()
    assert content.count(b"\n") == 1
    assert msgspec.json.decode(content)["data"] == {"a": "x\ny"}


def test_gzipped_lines_are_the_same_lines(tmp_path: Path) -> None:
    for name, gzipped in (("plain", False), ("gzipped", True)):
        writer = JsonlWriter(tmp_path / name, gzipped=gzipped)
        writer.write(sample_record(number) for number in range(2000))
        writer.close()
    assert gzip.decompress((tmp_path / "gzipped").read_bytes()) == (tmp_path / "plain").read_bytes()


def test_a_symbolic_link_stays_and_leads_to_the_new_file(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "x.jsonl").write_text("older")
    link = tmp_path / "link.jsonl"
    link.symlink_to(tmp_path / "real" / "x.jsonl")
    JsonlWriter(link).close()
    assert link.is_symlink()
    assert (tmp_path / "real" / "x.jsonl").read_text() == ""
