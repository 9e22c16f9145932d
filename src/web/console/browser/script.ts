/**
 * The script of the console's pages, which work without it. The parts are plain scripts with one scope, joined into
 * one file in the order below; `./scripts/bun check` checks their types with the tsconfig.json beside them.
 */
import commandBar from "./command-bar.js" with { type: "text" };
import controls from "./controls.js" with { type: "text" };
import filters from "./filters.js" with { type: "text" };
import keys from "./keys.js" with { type: "text" };
import menus from "./menus.js" with { type: "text" };
import panel from "./panel.js" with { type: "text" };
import parts from "./parts.js" with { type: "text" };
import refresh from "./refresh.js" with { type: "text" };
import start from "./start.js" with { type: "text" };
import toasts from "./toasts.js" with { type: "text" };
import tools from "./tools.js" with { type: "text" };
import triage from "./triage.js" with { type: "text" };
import upload from "./upload.js" with { type: "text" };

/** Returns the script. Its whole text is one function, so that it defines no globals. */
export function browserScript(): string {
  const texts = [
    tools,
    refresh,
    parts,
    toasts,
    triage,
    panel,
    filters,
    keys,
    commandBar,
    controls,
    menus,
    upload,
    start,
  ];
  return `(() => {\n"use strict";\n${texts.join("\n")}})();\n`;
}
