import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import {
  checkList,
  type DataUpdate,
  DataUpdateError,
  dateOf,
  publicKeyText,
  signUpdate,
  updateBytesMax,
} from "../../operations/data-updates/update-file.ts";
import { systemClock, toIsoTime } from "../../platform/lib/clock.ts";
import { messageOf } from "../../platform/lib/errors.ts";
import { type ListName, listNames } from "../../platform/lib/lists/list-texts.ts";
import { counted, grouped } from "../../platform/lib/wording.ts";
import { command, type CommandGroup, FailedError, UsageError } from "../terminal/command.ts";
import { configFlag, jsonFlag, text, texts, toggle } from "../terminal/flags.ts";
import { dirname } from "node:path";
import type { Config } from "../../platform/config/config.ts";
import {
  type ListInEffect,
  listsInEffect,
  readStoredUpdate,
  removeUpdate,
  storeUpdate,
} from "../../operations/data-updates/stored-update.ts";
import { isServed } from "../../platform/database/lock.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { printList } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

const dateLength = "2026-01-31".length;

const dataMakeCommand = command({
  name: "make",
  arguments: "<file>",
  details: `Each list is a file in the form of the embedded one: public_suffixes as published on publicsuffix.org,
certificate_logs as log_list.json of Chrome, and the others as the manual page 'air-gap' describes. The date of a list is the
day on which its file was changed, unless it is given after an @. Lists: ${listNames.join(", ")}.`,
  flags: {
    key: text("--key <file>"),
    version: text("--data-version <version>"),
    lists: texts("--list <name=path[@date]>"),
  },
  run({ args: [file = ""], options, terminal }) {
    const { key, version, lists } = options;
    if (key === undefined || version === undefined || lists.length === 0)
      throw new UsageError("--key, --data-version and at least one --list are needed");
    try {
      const entries = lists.map(readListOption);
      const update: Pick<DataUpdate, "version" | "lists"> = { version, lists: Object.fromEntries(entries) };
      for (const [name, { date, text: content }] of entries)
        terminal.err.write(`${name}: ${grouped(checkList(name, content))} entries of ${date}\n`);
      const bytes = signUpdate(update, createPrivateKey(readFileSync(key)));
      writeFileSync(file, bytes, { flag: "wx" });
      terminal.out.write(
        `wrote the data update ${version} with ${counted(entries.length, "list")} to ${file}\n`,
      );
    } catch (error) {
      if (error instanceof DataUpdateError) throw new FailedError(error.message);
      throw error;
    }
  },
});

function readListOption(given: string): [ListName, { date: string; text: string }] {
  const [, name, path = "", date] = /^([a-z_]+)=(.+?)(?:@(\d{4}-\d\d-\d\d))?$/.exec(given) ?? [];
  const list = listNames.find((one) => one === name);
  if (list === undefined || (date !== undefined && dateOf(date) === undefined))
    throw new UsageError(
      `--list must be NAME=PATH or NAME=PATH@DATE with one of ${listNames.join(", ")}, not "${given}"`,
    );
  const { mtimeMs, size } = statSync(path);
  if (size > updateBytesMax) throw new FailedError(`${path} is larger than ${updateBytesMax / 2 ** 20} MiB`);
  return [list, { date: date ?? toIsoTime(mtimeMs).slice(0, dateLength), text: readFileSync(path, "utf8") }];
}

const dataKeyCommand = command({
  name: "key",
  arguments: "<file>",
  flags: {},
  run({ args: [file = ""], terminal }) {
    const existing = statSync(file, { throwIfNoEntry: false }) !== undefined;
    if (!existing) {
      const { privateKey } = generateKeyPairSync("ed25519");
      writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }), { flag: "wx", mode: 0o600 });
    }
    try {
      terminal.out.write(`${publicKeyText(createPublicKey(readFileSync(file, "utf8")))}\n`);
    } catch (error) {
      throw new FailedError(`${file} is not a private key in PEM: ${messageOf(error)}`);
    }
  },
});

const dataShowCommand = command({
  name: "show",
  flags: { json: jsonFlag, config: configFlag },
  async run({ options, terminal }) {
    const { data, storage } = await loadConfiguration(options.config, terminal.env);
    const stored = readStoredUpdate(storage.path, data.trustedKeys);
    const version = stored.state === "used" ? stored.update.version : null;
    const rows = listsInEffect(stored, systemClock.now());
    const json = ({ name, origin, date, isOld }: ListInEffect) => ({
      list: name,
      origin,
      date,
      version: origin === "update" ? version : null,
      old: isOld,
    });
    printList({ options, terminal }, rows, {
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
      json,
    });
    if (stored.state === "unusable")
      terminal.err.write(`The data update cannot be used, so the embedded lists are: ${stored.reason}\n`);
  },
});

const dataUpdateCommand = command({
  name: "update",
  arguments: "<file>",
  flags: { force: toggle("--force"), config: configFlag },
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

const dataRemoveCommand = command({
  name: "remove",
  flags: { config: configFlag },
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

export const dataCommands: CommandGroup = {
  name: "data",
  commands: [dataShowCommand, dataUpdateCommand, dataRemoveCommand, dataMakeCommand, dataKeyCommand],
};
