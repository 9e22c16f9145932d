import { existsSync, statSync } from "node:fs";
import { openDatabase, type Database } from "../../platform/database/database.ts";
import { diskRoomFor } from "../../platform/lib/disk.ts";
import { readState } from "../../platform/database/files/state-file.ts";
import { releaseFreePages, rewriteDatabase } from "../../platform/database/health/housekeeping.ts";
import { freePageBytes } from "../../platform/database/pragmas.ts";
import { takeServeLock } from "../../platform/database/lock.ts";
import { bytesText } from "../../platform/lib/durations.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { command } from "../terminal/command.ts";
import { FailedError } from "../terminal/failure.ts";
import { configFlag, toggle } from "../terminal/flags.ts";
import type { Terminal } from "../terminal/terminal.ts";

export const compact = command({
  name: "compact",
  summary: "give the free space inside the database file back to the disk",
  details: `Moves pages in short steps, so a running server continues to work; Ctrl-C stops after a step and keeps what was released. It
needs no additional room. Deleted rows leave free space that new rows use, so this is worth it only after much was deleted.

With --rewrite, rewrites the whole database, which also helps a file that an earlier version created and one whose pages are
half empty. The server must be stopped, and the disk needs room for two more copies. A process that is killed at any moment leaves the
database as it was or compacted.`,
  flags: {
    rewrite: toggle("--rewrite", "rewrite the whole file; the server must be stopped"),
    dryRun: toggle("--dry-run", "only print what would be released and what room is needed"),
    config: configFlag,
  },
  examples: [
    ["phishwatch database compact", "release free space, also while the server runs"],
    ["phishwatch database compact --rewrite", "rewrite the file while the server is stopped"],
  ],
  async run({ options, terminal }) {
    const config = await loadConfiguration(options.config, terminal.env);
    const { path } = config.storage;
    if (path === ":memory:") throw new FailedError("the database is kept in memory only (storage.path)");
    if (!existsSync(path)) throw new FailedError(`${path} does not exist yet; 'phishwatch serve' creates it`);
    const found = readState(path)?.quickCheck?.result ?? "ok";
    if (found !== "ok")
      throw new FailedError(
        `${path} is damaged (${found}); stop the server, and run 'phishwatch database repair'`,
      );
    const lock = options.rewrite && !options.dryRun ? takeServeLock(path) : undefined;
    try {
      const database = openDatabase(path, {
        beforeMigration() {
          throw new FailedError(
            "the database is of an earlier version; upgrade it first: phishwatch serve --migrate-only",
          );
        },
      });
      try {
        if (options.rewrite) rewrite(database, terminal, options.dryRun);
        else await release(database, terminal, options.dryRun);
      } finally {
        database.close();
      }
    } finally {
      lock?.release();
    }
  },
});

async function release(database: Database, terminal: Terminal, isDry: boolean): Promise<void> {
  const free = freePageBytes(database.sqlite);
  const before = statSync(database.path).size;
  terminal.err.write(
    `${database.path}: ${bytesText(before)}, of which ${bytesText(free)} are free; no additional room is needed\n`,
  );
  if (isDry) return;
  const stop = terminal.interruption();
  const result = await releaseFreePages(database, { isStopped: () => stop.aborted });
  if (result === "not_possible")
    throw new FailedError(
      "this file was created by an earlier version and cannot release space; stop the server and run: phishwatch database compact --rewrite",
    );
  terminal.out.write(
    `released ${bytesText(Math.max(0, before - statSync(database.path).size))}; the file has ${bytesText(statSync(database.path).size)}\n`,
  );
  if (result === "busy")
    terminal.err.write(
      "phishwatch: note: the server reads from the write-ahead log; the file shrinks when it is idle\n",
    );
}

function rewrite(database: Database, terminal: Terminal, isDry: boolean): void {
  const { path, sqlite } = database;
  const before = statSync(path).size;
  const needed = 2 * (before - freePageBytes(sqlite));
  const { freeBytes } = diskRoomFor(path);
  terminal.err.write(
    `${path}: ${bytesText(before)}, of which at least ${bytesText(freePageBytes(sqlite))} are released; needs ${bytesText(needed)}, and the disk has ${bytesText(freeBytes)} free\n`,
  );
  if (freeBytes < needed)
    throw new FailedError(`the disk has no room for it: make ${bytesText(needed - freeBytes)} free first`);
  if (isDry) return;
  rewriteDatabase(database);
  const after = statSync(path).size;
  terminal.out.write(
    `released ${bytesText(Math.max(0, before - after))}; the file has ${bytesText(after)}\n`,
  );
}
