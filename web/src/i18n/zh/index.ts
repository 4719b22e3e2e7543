import type en from "@/i18n/en";
import type { Translated } from "@/i18n/types";
import common from "./common";
import events from "./events";
import hosts from "./hosts";
import newCrawl from "./newCrawl";
import nodes from "./nodes";
import overview from "./overview";
import settings from "./settings";
import task from "./task";
import tasks from "./tasks";

const zh: Translated<typeof en> = { common, events, hosts, newCrawl, nodes, overview, settings, task, tasks };

export default zh;
