import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { detectEncoding } from "../../engines/certificate-transparency/entries/leaves.ts";
import {
  createEntryScanner,
  type EntryBatch,
} from "../../engines/certificate-transparency/entries/entry-scanner.ts";
import { LogError } from "../../engines/certificate-transparency/log.ts";
import { optionalIsoTime, toIsoTime } from "../../platform/lib/clock.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { counted } from "../../platform/lib/wording.ts";
import { openBytes } from "../../intake/sources/name-file-bytes/bytes.ts";
import { NameListError } from "../../intake/sources/name-file-bytes/byte-source.ts";
import { command, FailedError } from "../terminal/command.ts";
import { jsonFlag } from "../terminal/flags.ts";
import { createProgress } from "../terminal/progress.ts";
import { printJson } from "../terminal/table.ts";
import type { Output } from "../terminal/terminal.ts";
import { readPaths, shownPath } from "./lists.ts";

/** Maximum size of a file after decompression. A tile with 256 large certificates has less. */
const bytesMax = 64 * 1024 * 1024;
const pieceBytes = 1 << 20;
const foldersMax = 30;

export const readCommand = command({
  name: "read",
  arguments: "<path...>",
  flags: { json: jsonFlag },
  async run({ args, options, terminal }) {
    const signal = terminal.interruption();
    const scanner = createEntryScanner();
    const progress = createProgress(terminal.err, () => performance.now());
    const paths = readPaths(args).flatMap(filesIn);
    const total = { failed: 0, entries: 0, names: 0, malformed: 0 };

    for (const path of paths) {
      try {
        const bytes = await contentOf(path, signal);
        const encoding = detectEncoding(bytes);
        if (encoding === undefined) {
          throw new NameListError(path, "is not a tile or a get-entries response of a certificate log");
        }
        const batch = scanner.scan({ encoding, bytes, firstIndex: 0, countMax: null });
        if (options.json) printEntries(terminal.out, path, batch);
        else terminal.out.write(Buffer.from(batch.names.bytes).toString("latin1"));
        total.entries += batch.count;
        total.names += batch.names.count;
        total.malformed += batch.malformed;
      } catch (error) {
        const message = messageOf(error, path);
        if (message === undefined) throw error;
        if (paths.length === 1) throw new FailedError(message);
        total.failed++;
        progress.end();
        terminal.err.write(`phishwatch: ${visible(message, 1_000)}\n`);
      }
      progress.show(() => `${counted(total.entries, "entry", "entries")}, ${counted(total.names, "name")}`);
    }
    progress.end();
    if (total.malformed > 0) {
      terminal.err.write(`${counted(total.malformed, "certificate")} could not be read completely\n`);
    }
    if (total.failed > 0)
      throw new FailedError(`${total.failed} of ${counted(paths.length, "file")} could not be read`);
    if (paths.length === 0) throw new FailedError("there are no files with entries in the folder");
  },
});

/** Returns the message for the errors of one file; undefined for others, such as an interruption. */
function messageOf(error: unknown, path: string): string | undefined {
  if (error instanceof NameListError) return error.message;
  return error instanceof LogError ? `${shownPath(path)}: ${error.message}` : undefined;
}

/** Returns the file itself or, in order, the files with entries in the folder. */
function filesIn(path: string): string[] {
  const isFolder = path !== "-" && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder) return [path];
  const files = filesBelow(path, foldersMax);
  const known = new Set(files.map((file) => file.replace(/\.gz$/, "")));
  return files.filter((file) => hasNewEntries(file, known));
}

function filesBelow(folder: string, depth: number): string[] {
  if (depth === 0) return [];
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((item) => {
      const path = join(folder, item.name);
      if (item.isDirectory()) return filesBelow(path, depth - 1);
      return item.isFile() && !item.name.startsWith(".") ? [path] : [];
    });
}

/** Returns false for files of static logs that contain no entries, or only entries of another file in the folder. */
function hasNewEntries(file: string, known: ReadonlySet<string>): boolean {
  if (/\/tile\/\d+\/|\/issuer\/|\/checkpoint[^/]*$/.test(file)) return false;
  const path = file.replace(/\.gz$/, "");
  const full = path.replace(/\.p\/\d+$/, "");
  if (full !== path && known.has(full)) return false;
  const data = path.replace(/\/tile\/names\//, "/tile/data/");
  return data === path || !known.has(data);
}

async function contentOf(path: string, signal: AbortSignal): Promise<Uint8Array> {
  const source = await openBytes(path, { signal });
  try {
    const pieces: Uint8Array[] = [];
    let total = 0;
    for (;;) {
      const piece = new Uint8Array(pieceBytes);
      const length = await source.read(piece);
      if (length === 0) return Buffer.concat(pieces);
      pieces.push(piece.subarray(0, length));
      total += length;
      if (total > bytesMax) throw new NameListError(path, `is larger than ${bytesMax >> 20} MiB`);
    }
  } finally {
    await source.close();
  }
}

/** Prints an object for each entry. */
function printEntries(out: Output, file: string, batch: EntryBatch): void {
  const { bytes, count, starts, ends, entries } = batch.names;
  const text = Buffer.from(bytes).toString("latin1");
  for (let entry = 0, at = 0; entry < batch.count; entry++) {
    const names: string[] = [];
    for (; at < count && entries[at] === entry; at++) names.push(text.slice(starts[at], ends[at]));
    const { issuer, serial, notBefore } = batch.certificate(entry);
    printJson(out, {
      file,
      entry,
      logged_at: toIsoTime(batch.timestamps[entry]!),
      names,
      issuer,
      serial,
      not_before: optionalIsoTime(notBefore),
    });
  }
}
