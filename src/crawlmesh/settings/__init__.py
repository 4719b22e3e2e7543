"""Every setting of Crawlmesh: typed, described, with its unit and its default; one file for each group.

Read by the commands, which hand the wiring what it needs; imports only errors and the version. A value comes
from the command's flags, else from the environment (`CRAWLMESH_` and the name in capitals), else from a
configuration file, else from here.
"""

from crawlmesh.settings.all_settings import DEFAULT_CONFIG_FILE, ENVIRONMENT_PREFIX, GROUPS, Settings
from crawlmesh.settings.load import load_settings
from crawlmesh.settings.mode import Mode, mode_file
from crawlmesh.settings.reference import settings_reference

__all__ = [
    "DEFAULT_CONFIG_FILE",
    "ENVIRONMENT_PREFIX",
    "GROUPS",
    "Mode",
    "Settings",
    "load_settings",
    "mode_file",
    "settings_reference",
]
