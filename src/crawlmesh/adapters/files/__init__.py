"""Plain files: records in four formats, the page archive, and the folder that holds a crawl's state.

Imported by the wiring and the command line; imports ports, model and errors.
"""

from crawlmesh.adapters.files.choose_writer import RECORD_EXTENSIONS, check_output_path, open_record_writer
from crawlmesh.adapters.files.csv_writer import CsvWriter
from crawlmesh.adapters.files.jsonl_writer import JsonlWriter
from crawlmesh.adapters.files.page_archive import WarcPageArchive
from crawlmesh.adapters.files.parquet_writer import ParquetWriter
from crawlmesh.adapters.files.record_export import FileRecordExport
from crawlmesh.adapters.files.state_folder import StateFolder
from crawlmesh.adapters.files.warc_writer import WarcWriter

__all__ = [
    "RECORD_EXTENSIONS",
    "CsvWriter",
    "FileRecordExport",
    "JsonlWriter",
    "ParquetWriter",
    "StateFolder",
    "WarcPageArchive",
    "WarcWriter",
    "check_output_path",
    "open_record_writer",
]
