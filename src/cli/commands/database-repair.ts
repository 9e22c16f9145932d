import { existsSync, rmSync, statSync } from "node:fs";
import { diskRoomFor } from "../../platform/lib/disk.ts";
import { requireOwnLog, statePathOf } from "../../platform/database/files/state-file.ts";
import { takeServeLock } from "../../platform/database/lock.ts";
import { inspectDatabase, repairDatabase } from "../../platform/database/health/repair.ts";
import { fileStamp, systemClock } from "../../platform/lib/clock.ts";
import { bytesText } from "../../platform/lib/durations.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { counted } from "../../platform/lib/wording.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { command } from "../terminal/command.ts";
import { FailedError } from "../terminal/failure.ts";
import { configFlag } from "../terminal/flags.ts";
import type { Output } from "../terminal/terminal.ts";

const shownMax = 10;
const messageCharactersMax = 300;

export const repair = command({
  name: "repair",
  summary: "rebuild damaged indexes from their tables",
  details: `Checks the whole database, which takes about 20 seconds for a million threats. If indexes or the list of free pages are damaged, it
writes all tables to a new file, creates the indexes again, checks the new file, and replaces the database with it. The damaged
file is kept: 'phishwatch restore --list-aside' lists it. If a table is damaged, nothing is changed: restore a backup.

The server must be stopped, and the disk needs room for another copy. A process that is killed at any moment leaves the database as it
was or repaired.`,
  flags: { config: configFlag },
  examples: [["phishwatch database repair", "repair the database while the server is stopped"]],
  async run({ options, terminal }) {
    const config = await loadConfiguration(options.config, terminal.env);
    const { path } = config.storage;
    if (path === ":memory:") throw new FailedError("the database is kept in memory only (storage.path)");
    if (!existsSync(path)) throw new FailedError(`${path} does not exist yet; 'phishwatch serve' creates it`);
    const lock = takeServeLock(path);
    try {
      requireOwnLog(path);
      const { lost, repairable } = await inspectDatabase(path);
      if (lost.length > 0) {
        list(terminal.err, lost);
        throw new FailedError(
          `${path} has damaged tables, which cannot be repaired; restore a backup with 'phishwatch restore'`,
        );
      }
      if (repairable.length === 0) {
        // A server may have recorded damage that is no longer there.
        rmSync(statePathOf(path), { force: true });
        terminal.err.write(`${path} is not damaged\n`);
        return;
      }
      list(terminal.err, repairable);
      const { freeBytes } = diskRoomFor(path);
      const missing = statSync(path).size - freeBytes;
      if (missing > 0)
        throw new FailedError(`the disk has no room for a copy: make ${bytesText(missing)} free first`);
      const { keptAs } = repairDatabase(path, fileStamp(systemClock.now()));
      terminal.err.write(
        `repaired ${path}; a check found nothing more\nthe damaged file is kept as ${keptAs}; if all is well, delete it\n`,
      );
      if (repairable.some((message) => message.startsWith("row ")))
        terminal.err.write(
          "where a row and an index differ, the row was used; if it was the row that was damaged, only a backup has its value\n",
        );
    } finally {
      lock.release();
    }
  },
});

function list(out: Output, messages: readonly string[]): void {
  for (const message of messages.slice(0, shownMax)) out.write(`${visible(message, messageCharactersMax)}\n`);
  const others = messages.length - shownMax;
  if (others > 0) out.write(`and ${counted(others, "more message")}\n`);
}
