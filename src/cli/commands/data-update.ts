import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { Config } from "../../platform/config/config.ts";
import {
  listsInEffect,
  readStoredUpdate,
  removeUpdate,
  storeUpdate,
} from "../../operations/data-updates/stored-update.ts";
import { DataUpdateError } from "../../operations/data-updates/update-file.ts";
import { isServed } from "../../platform/database/lock.ts";
import { systemClock } from "../../platform/lib/clock.ts";
import { counted } from "../../platform/lib/wording.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { command } from "../terminal/command.ts";
import { FailedError } from "../terminal/failure.ts";
import { configFlag, jsonFlag, toggle } from "../terminal/flags.ts";
import { printJson, printRows } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

export const dataShowCommand = command({
  name: "show",
  summary: "show the date and origin of each list",
  flags: { json: jsonFlag, config: configFlag },
  examples: [["phishwatch data show", "see how old the lists are"]],
  async run({ options, terminal }) {
    const { data, storage } = await loadConfiguration(options.config, terminal.env);
    const stored = readStoredUpdate(storage.path, data.trustedKeys);
    const version = stored.state === "used" ? stored.update.version : null;
    const rows = listsInEffect(stored, systemClock.now());
    if (options.json)
      for (const { name, origin, date, isOld } of rows)
        printJson(terminal.out, {
          list: name,
          origin,
          date,
          version: origin === "update" ? version : null,
          old: isOld,
        });
    else
      printRows(terminal, rows, {
        columns: [
          { title: "list", cell: ({ name }) => name },
          { title: "date", cell: ({ date, isOld }) => (isOld ? `${date} (old)` : date) },
          {
            title: "origin",
            cell: ({ origin }) => (origin === "embedded" ? "embedded" : `update ${version ?? ""}`),
          },
          { title: "content", cell: ({ title }) => title },
        ],
        none: "no lists",
      });
    if (stored.state === "unusable")
      terminal.err.write(`The data update cannot be used, so the embedded lists are: ${stored.reason}\n`);
  },
});

export const dataUpdateCommand = command({
  name: "update",
  arguments: "<file>",
  summary: "import newer lists from a signed file",
  details: `Checks the signature and the content of every list, and keeps the file next to the database. Commands use it at once, and a
running server after a restart. Lists that the file does not contain, or that are older than the embedded ones, stay as
they are.`,
  flags: {
    force: toggle("--force", "accept a version that is older than the one in use"),
    config: configFlag,
  },
  examples: [
    ["phishwatch data update phishwatch-data-2026-11-22.txt", "import an update that was carried in"],
  ],
  async run({ args: [file = ""], options, terminal }) {
    const config = await loadConfiguration(options.config, terminal.env);
    const { data, storage } = config;
    requireFiles(config, file);
    try {
      const { update, previous } = storeUpdate({
        file,
        path: storage.path,
        ownKeys: data.trustedKeys,
        force: options.force,
      });
      const before = previous.state === "used" ? `, which replaces ${previous.update.version}` : "";
      const count = Object.keys(update.lists).length;
      terminal.out.write(
        `imported the data update ${update.version} with ${counted(count, "list")}${before}\n`,
      );
      announceRestart(config, terminal);
    } catch (error) {
      if (error instanceof DataUpdateError) throw new FailedError(`${file}: ${error.message}`);
      throw error;
    }
  },
});

export const dataRemoveCommand = command({
  name: "remove",
  summary: "use the embedded lists again",
  flags: { config: configFlag },
  examples: [["phishwatch data remove", "undo all imports of data updates"]],
  async run({ options, terminal }) {
    const config = await loadConfiguration(options.config, terminal.env);
    if (!removeUpdate(config.storage.path)) throw new FailedError("there is no data update");
    terminal.out.write("removed the data update\n");
    announceRestart(config, terminal);
  },
});

/** @throws FailedError if an update has no place, or there is none to read */
function requireFiles({ storage }: Pick<Config, "storage">, file: string): void {
  if (storage.path === ":memory:")
    throw new FailedError("a database in memory has no place for a data update; set storage.path to a file");
  const folder = dirname(storage.path);
  if (!existsSync(folder)) throw new FailedError(`${folder} does not exist yet; start the server once first`);
  if (!existsSync(file)) throw new FailedError(`${file} does not exist`);
}

function announceRestart({ storage }: Pick<Config, "storage">, { err }: Pick<Terminal, "err">): void {
  if (isServed(storage.path) === true) err.write("The running server uses the change after a restart.\n");
}
