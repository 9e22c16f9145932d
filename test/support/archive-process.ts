/**
 * Adds names to an archive in a process of its own, and prints each number up to which all names were flushed. With
 * `maintain`, makes and merges segments again and again. Arguments: path of the database, first number, `maintain`.
 */
import { systemClock } from "../../src/platform/lib/clock.ts";
import { archiveFolder } from "../../src/engines/archive/files/folder.ts";
import { tryLock } from "../../src/platform/database/lock.ts";
import { maintain } from "../../src/engines/archive/maintenance/maintain.ts";
import { openArchive } from "../../src/engines/archive/storing/open-archive.ts";

const [databasePath = "", first = "0", mode] = process.argv.slice(2);
const limits = { bytesMax: 2 ** 30, ageMsMax: 90 * 86_400_000 };
const namesPerFlush = 50;
const flushesPerJournal = 4;
const clock = systemClock;
for (let number = Number(first); ;) {
  const archive = openArchive({
    folder: archiveFolder(databasePath),
    settings: { enabled: true, ...limits },
    clock,
    onProblem: () => {},
    tryLock,
    fillRandom: (bytes) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
  });
  for (let flush = 0; flush < flushesPerJournal; flush++) {
    const names = Array.from({ length: namesPerFlush }, () => `name-${number++}.example\n`);
    archive.add(Buffer.from(names.join("")), { source: "feed", seenAt: clock.now() });
    await archive.flush();
    process.stdout.write(`${number}\n`);
  }
  await archive.stop();
  if (mode !== "maintain") continue;
  // The next day, all segments of the current one are merged.
  const task = { folder: `${databasePath}.archive`, limits, missingBytes: 0 };
  await maintain({ ...task, now: clock.now() }, tryLock);
  await maintain({ ...task, now: clock.now() + 86_400_000 }, tryLock);
}
