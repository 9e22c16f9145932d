import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import {
  checkList,
  dateOf,
  DataUpdateError,
  publicKeyText,
  signUpdate,
  updateBytesMax,
  type DataUpdate,
} from "../../operations/data-updates/update-file.ts";
import { toIsoTime } from "../../platform/lib/clock.ts";
import { messageOf } from "../../platform/lib/errors.ts";
import { listNames, type ListName } from "../../platform/lib/lists/list-texts.ts";
import { counted, grouped } from "../../platform/lib/wording.ts";
import { command, UsageError } from "../terminal/command.ts";
import { FailedError } from "../terminal/failure.ts";
import { text, texts } from "../terminal/flags.ts";

const dateLength = "2026-01-31".length;

export const dataMakeCommand = command({
  name: "make",
  arguments: "<file>",
  summary: "create a signed data update from lists of your own",
  details: `Each list is a file in the form of the embedded one: public_suffixes as published on publicsuffix.org,
certificate_logs as log_list.json of Chrome, and the others as the manual page 'air-gap' describes. The date of a list is the
day on which its file was changed, unless it is given after an @. Lists: ${listNames.join(", ")}.`,
  flags: {
    key: text("--key <file>", "private key for the signature, in PEM, as 'phishwatch data key' creates it"),
    version: text("--data-version <version>", "version of the update, such as 2026-11-22 or 2026-11-22.2"),
    lists: texts("--list <name=path[@date]>", "a list"),
  },
  examples: [
    [
      "phishwatch data make update.txt --key own.pem --data-version 2026-11-22 --list public_suffixes=public_suffix_list.dat@2026-11-20",
      "sign a newer list of public suffixes",
    ],
  ],
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

export const dataKeyCommand = command({
  name: "key",
  arguments: "<file>",
  summary: "create a key for data updates of your own",
  details: `Writes the private key to a new file that only its owner can read, and prints the public key, which belongs into
data.trusted_keys of each appliance. With an existing file, prints its public key.`,
  flags: {},
  examples: [["phishwatch data key own.pem", "create a key, and print what goes into data.trusted_keys"]],
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
