from crawlmesh.crawl.extraction.value_types import ValueType
from crawlmesh.protocol.crawl_parameters import CRAWL_SCHEMAS, KNOWN_PARAMETERS, VALUE_TYPES


def test_the_description_knows_what_the_reader_knows() -> None:
    assert tuple(ValueType) == VALUE_TYPES
    for variant in CRAWL_SCHEMAS["CrawlParameters"]["anyOf"]:
        assert set(variant["properties"]) == set(KNOWN_PARAMETERS)
    assert set(CRAWL_SCHEMAS["CrawlOptions"]["properties"]) == set(KNOWN_PARAMETERS) - {"url"}
