from crawlmesh.crawl.tally import CrawlTally
from crawlmesh.model.outcome import LinkOutcome, OutcomeKind


def test_pages_are_those_that_were_got_and_bytes_those_of_every_answer() -> None:
    tally = CrawlTally()
    for kind, size in (
        (OutcomeKind.FETCHED, 1000),
        (OutcomeKind.REDIRECTED, 20),
        (OutcomeKind.RETRY, 3),
        (OutcomeKind.DEAD, 400),
    ):
        tally.count(LinkOutcome(link_id=1, kind=kind, size=size))
    assert (tally.pages, tally.bytes, tally.retries, tally.dead) == (1, 1423, 1, {"unknown": 1})


def test_tallies_of_two_processes_add_up() -> None:
    both = CrawlTally(1, 2, 3, {"dns": 1}, 4) + CrawlTally(10, 20, 30, {"dns": 1, "tls": 2}, 40)
    assert both == CrawlTally(11, 22, 33, {"dns": 2, "tls": 2}, 44)
