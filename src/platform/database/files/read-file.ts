import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

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
