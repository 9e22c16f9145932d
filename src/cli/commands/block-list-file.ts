import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { FailedError } from "../terminal/failure.ts";

const newFileMode = 0o644;

/**
 * Replaces a file at once, unless it has this content already. Its permissions stay, and a symbolic link stays one.
 * @returns whether the content was another one
 * @throws FailedError if the file cannot be written
 */
export function replaceFile(path: string, bytes: Uint8Array): boolean {
  try {
    const present = statSync(path, { throwIfNoEntry: false });
    if (present !== undefined && !present.isFile()) throw new FailedError(`${path} is not a file`);
    if (present?.size === bytes.length && readFileSync(path).equals(bytes)) return false;
    const target = present === undefined ? path : realpathSync(path);
    writeBeside(target, bytes, present === undefined ? newFileMode : present.mode & 0o777);
    return true;
  } catch (error) {
    if (error instanceof FailedError) throw error;
    throw new FailedError(`cannot write ${path} (${(error as { code?: string }).code ?? String(error)})`);
  }
}

function writeBeside(target: string, bytes: Uint8Array, mode: number): void {
  const staging = join(dirname(target), `.${basename(target)}.${process.pid}.new`);
  try {
    const file = openSync(staging, "wx", mode);
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(staging, target);
  } catch (error) {
    rmSync(staging, { force: true });
    throw error;
  }
}
