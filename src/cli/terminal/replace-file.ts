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
  type Stats,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { messageOf, codeOf } from "../../platform/lib/errors.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { FailedError } from "./command.ts";

const newFileMode = 0o644;

/**
 * Replaces a file in one step, unless it has this content already. Its permissions stay, and a symbolic link stays one.
 * @returns whether the content was another one
 * @throws FailedError if the file cannot be written
 */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<boolean> {
  if (hasContent(path, bytes)) return false;
  await replaceFileInPieces(path, (append) => append(bytes));
  return true;
}

/**
 * Like `replaceFile`, with content that is created piece by piece. The file stays as it was until `write` has ended, and if
 * it throws.
 * @throws FailedError if the file cannot be written, or as `write` does
 */
export async function replaceFileInPieces(
  path: string,
  write: (append: (bytes: Uint8Array) => void) => void | Promise<void>,
): Promise<void> {
  try {
    const present = presentFile(path);
    const target = present === undefined ? path : realpathSync(path);
    const staging = join(dirname(target), `.${basename(target)}.${process.pid}.new`);
    try {
      // Never writes through a link that another user has put there.
      const file = openSync(staging, "wx", present === undefined ? newFileMode : present.mode & 0o777);
      try {
        await write((bytes) => appendTo(file, bytes));
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(staging, target);
    } catch (error) {
      rmSync(staging, { force: true });
      throw error;
    }
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

function hasContent(path: string, bytes: Uint8Array): boolean {
  try {
    return presentFile(path)?.size === bytes.length && readFileSync(path).equals(bytes);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

function presentFile(path: string): Stats | undefined {
  const present = statSync(path, { throwIfNoEntry: false });
  if (present !== undefined && !present.isFile())
    throw new FailedError(`${visible(path, 1_000)} is not a file`);
  return present;
}

function appendTo(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}

function cannotWrite(path: string, error: unknown): FailedError {
  if (error instanceof FailedError) return error;
  const reason = codeOf(error) ?? messageOf(error);
  return new FailedError(`cannot write ${visible(path, 1_000)} (${visible(reason, 300)})`);
}
