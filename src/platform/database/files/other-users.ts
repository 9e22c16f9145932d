import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StartError } from "../../lib/errors.ts";
import { shellWord } from "../../lib/shell-word.ts";

/** A path that does not lead to a file, or to one that is too large. */
export class UnreadableFileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UnreadableFileError";
  }
}

/**
 * Reads a small file whose path another user may control: root runs commands on the files of the server's user. It never
 * waits for the writer of a pipe, and reads no device.
 * @returns also the owner of the file
 * @throws UnreadableFileError, or an error of the system
 */
export function readSmallFile(path: string, bytesMax: number): { bytes: Buffer; uid: number } {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const entry = fstatSync(descriptor);
    const { uid, size } = entry;
    if (!entry.isFile()) throw new UnreadableFileError("it is a folder, pipe or device, not a file");
    if (size > bytesMax)
      throw new UnreadableFileError(`it has ${size} bytes, but at most ${bytesMax} are read`);
    const bytes = Buffer.alloc(size);
    let length = 0;
    while (length < size) {
      const read = readSync(descriptor, bytes, length, size - length, length);
      if (read === 0) break;
      length += read;
    }
    return { bytes: bytes.subarray(0, length), uid };
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Rejects that root replaces the files of another user: that user could lead root elsewhere with links, and the server
 * could not use files that belong to root.
 * @param path database
 * @throws StartError that says how to run the command
 */
export function requireOwnFolder(path: string): void {
  if (process.geteuid?.() !== 0) return;
  const folder = dirname(path);
  const owner = statSync(folder, { throwIfNoEntry: false })?.uid ?? 0;
  if (owner === 0) return;
  const user = nameOfUser(owner);
  throw new StartError(
    `${folder} belongs to the user ${user ?? owner}, so run this as that user: sudo -u ${shellWord(user ?? `#${owner}`)} phishwatch …`,
  );
}

/** Returns undefined for a user that this machine does not list. */
function nameOfUser(id: number): string | undefined {
  try {
    return new RegExp(`^([a-z_][a-z0-9_-]*):[^:]*:${id}:`, "m").exec(
      readFileSync("/etc/passwd", "utf8"),
    )?.[1];
  } catch {
    return undefined;
  }
}
