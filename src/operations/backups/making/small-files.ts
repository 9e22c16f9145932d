import { open, readdir, stat, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { listFolder } from "../../../engines/archive/files/folder.ts";
import { fileChunkBytes, type FileEntry } from "../repository/format.ts";
import type { ChunkWriter } from "./chunk-writer.ts";
import { undefinedIfMissing } from "../../../platform/lib/errors.ts";

/** Files of the archive are merged and deleted while they are read: the folder is listed at most so often. */
const listingsMax = 50;
/** As the format accepts them. */
const nameForm = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/;

/** Stores files, and reuses what the last backup has of those whose size and time are the same. */
export type FileSaver = ReturnType<typeof createFileSaver>;

/** @param previous entries of the last backup by path */
export function createFileSaver(previous: ReadonlyMap<string, FileEntry>, chunks: ChunkWriter) {
  const buffer = Buffer.alloc(fileChunkBytes);
  return {
    /** Returns undefined if the file no longer exists. @throws StoreError, or an error of the system */
    async save({ path, name }: { path: string; name: string }) {
      const before = previous.get(name);
      const status = await stat(path).catch(undefinedIfMissing);
      if (status === undefined || !status.isFile()) return undefined;
      if (
        before?.bytes === status.size &&
        before.modifiedAt === status.mtimeMs &&
        before.chunks.every((chunk) => chunks.has(chunk))
      )
        return before;
      await using handle = await open(path, "r").catch(undefinedIfMissing);
      return handle && (await saveContent(handle, name, buffer, chunks));
    },
  };
}

async function saveContent(
  handle: FileHandle,
  name: string,
  buffer: Buffer,
  chunks: ChunkWriter,
): Promise<FileEntry> {
  // A file that grows is stored up to its present size.
  const { size, mtimeMs } = await handle.stat();
  const names: string[] = [];
  let bytes = 0;
  while (bytes < size) {
    const length = Math.min(fileChunkBytes, size - bytes);
    const read = await readFully(handle, buffer.subarray(0, length), bytes);
    if (read === 0) break;
    names.push(await chunks.write(buffer.subarray(0, read)));
    bytes += read;
    if (read < length) break;
  }
  return { path: name, bytes, modifiedAt: mtimeMs, chunks: names };
}

async function readFully(handle: FileHandle, buffer: Buffer, position: number): Promise<number> {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, position + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}

/** Stores the screenshots. A folder that does not exist is empty. */
export async function saveScreenshots(folder: string, saver: FileSaver): Promise<FileEntry[]> {
  const names = (await readdir(folder).catch(undefinedIfMissing)) ?? [];
  const entries: FileEntry[] = [];
  // The others are being written.
  for (const name of names.filter((one) => one.endsWith(".webp") && nameForm.test(one))) {
    const entry = await saver.save({ path: join(folder, name), name: `screenshots/${name}` });
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

/**
 * Stores the files of the archive. While they are read, others are made of some of them. Listing again until all files
 * of a listing have been stored ensures that every name is in one of them; names that are in two are merged later.
 * @throws an error of the system if files keep disappearing
 */
export async function saveArchive(folder: string, saver: FileSaver): Promise<FileEntry[]> {
  const saved = new Map<string, FileEntry>();
  for (let listing = 1; ; listing++) {
    const { segments, journals } = listFolder(folder);
    // Journals first, because segments are made of them.
    const files = [...journals, ...segments].map(({ file }) => file);
    let isComplete = true;
    for (const file of files) {
      if (saved.has(file)) continue;
      const entry = await saver.save({ path: join(folder, file), name: `archive/${file}` });
      if (entry === undefined) isComplete = false;
      else saved.set(file, entry);
    }
    if (isComplete) return [...saved.values()];
    if (listing === listingsMax) throw new Error(`${folder}: its files change too often to be read`);
  }
}
