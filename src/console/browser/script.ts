/**
 * The script of the console's pages, which work without it. The parts are plain scripts with one scope, joined into
 * one file in the order below.
 */
import copy from "./copy.js" with { type: "text" };
import keys from "./keys.js" with { type: "text" };
import menus from "./menus.js" with { type: "text" };
import refresh from "./refresh.js" with { type: "text" };
import rows from "./rows.js" with { type: "text" };
import start from "./start.js" with { type: "text" };
import timeZone from "./time-zone.js" with { type: "text" };
import tools from "./tools.js" with { type: "text" };
import upload from "./upload.js" with { type: "text" };

/** Returns the script. Its whole text is one function, so that it defines no globals. */
export function browserScript(): string {
  const parts = [tools, copy, refresh, keys, menus, rows, timeZone, upload, start];
  return `(() => {\n"use strict";\n${parts.join("\n")}})();\n`;
}
