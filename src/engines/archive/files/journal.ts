/** Appends names to a file of this process, from which segments are made later. */
import { closeSync, mkdirSync, openSync, renameSync, rmSync, write } from "node:fs";
import { join } from "node:path";
import type { TryLock } from "../archive.ts";
import { recordHeader, type Group } from "./record.ts";

/** A journal of this size is closed, so that a segment can be made from it. */
export const journalBytesMax = 8 << 20;
export const journalLockPurpose = "lock";

/**
 * @param id unique among the journals of all processes. A lock with this name tells other processes that the files are
 * in use.
 */
export function createJournal(folder: string, id: string, tryLock: TryLock) {
  const lockPath = join(folder, id);
  let lock: ReturnType<TryLock>;
  let file: { descriptor: number; path: string } | undefined;
  let number = 0;
  let size = 0;

  function openFile() {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    lock ??= tryLock(lockPath, journalLockPurpose);
    if (lock === undefined) throw new Error(`another process uses the journal ${id}`);
    const path = join(folder, `${id}-${++number}.open`);
    size = 0;
    return (file = { descriptor: openSync(path, "wx", 0o600), path });
  }

  /** Closes the file, so that a segment can be made from it. The next append creates another one. */
  function rotate(): void {
    if (file === undefined) return;
    const { descriptor, path } = file;
    file = undefined;
    size = 0;
    closeSync(descriptor);
    renameSync(path, path.replace(/open$/, "closed"));
  }

  return {
    /** Appends names, each followed by a line feed. @throws an error of the system; then nothing was appended */
    async append(group: Group, names: Uint8Array) {
      const { descriptor } = file ?? openFile();
      const header = recordHeader({ kind: "raw", ...group }, names, { namesBytes: names.length, count: 0 });
      // After what was written completely, so that a failed write is overwritten.
      await writeAll(descriptor, header, size);
      await writeAll(descriptor, names, size + header.length);
      size += header.length + names.length;
    },

    /** Number of bytes in the open file. */
    size: () => size,
    rotate,

    /** Closes the file and releases the lock. */
    close() {
      rotate();
      if (lock === undefined) return;
      lock.release();
      rmSync(`${lockPath}.${journalLockPurpose}`, { force: true });
      lock = undefined;
    },
  };
}

/** Returns the id of the journal to which a file belongs. */
export function journalId(file: string): string {
  return file.slice(0, file.lastIndexOf("-"));
}

async function writeAll(descriptor: number, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.length;)
    written += await writeSome(descriptor, bytes.subarray(written), position + written);
}

function writeSome(descriptor: number, bytes: Uint8Array, position: number): Promise<number> {
  return new Promise((resolve, reject) =>
    write(descriptor, bytes, 0, bytes.length, position, (error, written) =>
      error === null ? resolve(written) : reject(error),
    ),
  );
}
