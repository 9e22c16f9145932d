import { copyFile, open, type FileHandle } from "node:fs/promises";
import { StoreError, type BackupStore } from "../stores/store.ts";
import { getChunk } from "../repository/file-list.ts";
import { blockBytes, blocksPerChunk, fileChunkBytes, type FileEntry } from "../repository/format.ts";
import type { Needs } from "../repository/needs.ts";

/** An earlier state of a file, on this machine. */
export interface EarlierFile {
  entry: FileEntry;
  path: string;
}

interface WrittenFile extends Needs<"store" | "signal"> {
  entry: FileEntry;
  target: string;
  earlier?: EarlierFile | undefined;
}

/**
 * Writes a file of a backup to a new path, durably, readable by its owner only. Of an earlier state, what has not
 * changed is copied instead of fetched.
 * @throws StoreError `damaged`, or an error of the system
 */
export async function writeFileOf(file: WrittenFile): Promise<void> {
  const { store, entry, target, earlier, signal } = file;
  requireComplete(store, entry);
  if (earlier !== undefined) await copyFile(earlier.path, target);
  await using handle = await open(target, earlier === undefined ? "wx" : "r+", 0o600);
  await handle.truncate(entry.bytes);
  const dirty = dirtyChunks(entry, earlier?.entry);
  for (const index of dirty) {
    signal.throwIfAborted();
    const content = await getChunk(store, entry.chunks[index]!);
    const position = index * fileChunkBytes;
    if (content.length !== Math.min(fileChunkBytes, entry.bytes - position)) throw invalid(store, entry);
    await writeAt(handle, content, position);
  }
  await applyChanges(file, handle, dirty);
  await handle.sync();
}

/** Checks that the chunks have the length of the file. */
function requireComplete(store: BackupStore, entry: FileEntry): void {
  if (entry.chunks.length !== Math.ceil(entry.bytes / fileChunkBytes)) throw invalid(store, entry);
  const blocks = Math.ceil(entry.bytes / blockBytes);
  if (entry.changes?.some((change) => change.blocks.some((block) => block >= blocks)))
    throw invalid(store, entry);
}

function invalid(store: BackupStore, { path }: FileEntry): StoreError {
  return new StoreError("damaged", `${store.name}: the entry of ${path} in the backup is invalid`);
}

/** Returns the indexes of the chunks that have to be fetched. */
function dirtyChunks(entry: FileEntry, earlier: FileEntry | undefined): Set<number> {
  const dirty = new Set<number>();
  const isCut = earlier !== undefined && earlier.bytes !== entry.bytes;
  for (const [index, name] of entry.chunks.entries()) {
    const isLast = index === Math.min(entry.chunks.length, earlier?.chunks.length ?? 0) - 1;
    if (earlier?.chunks[index] !== name || (isCut && isLast)) dirty.add(index);
  }
  // A block that is no change any more has the content of the chunk.
  const places = placesOf(entry);
  for (const block of placesOf(earlier).keys()) {
    const index = Math.floor(block / blocksPerChunk);
    if (!places.has(block) && index < entry.chunks.length) dirty.add(index);
  }
  return dirty;
}

/** Returns where the content of each changed block is. */
function placesOf(entry: FileEntry | undefined): Map<number, string> {
  const places = new Map<number, string>();
  for (const { chunk, blocks } of entry?.changes ?? [])
    for (const [index, block] of blocks.entries()) if (block >= 0) places.set(block, `${chunk} ${index}`);
  return places;
}

async function applyChanges(
  { store, entry, earlier, signal }: WrittenFile,
  handle: FileHandle,
  dirty: ReadonlySet<number>,
): Promise<void> {
  const before = placesOf(earlier?.entry);
  for (const { chunk, blocks } of entry.changes ?? []) {
    signal.throwIfAborted();
    const needed = [...blocks.entries()].filter(
      ([index, block]) =>
        block >= 0 &&
        (dirty.has(Math.floor(block / blocksPerChunk)) || before.get(block) !== `${chunk} ${index}`),
    );
    if (needed.length === 0) continue;
    const content = await getChunk(store, chunk);
    if (content.length !== blocks.length * blockBytes) throw invalid(store, entry);
    for (const [index, block] of needed) {
      const position = block * blockBytes;
      const length = Math.min(blockBytes, entry.bytes - position);
      await writeAt(handle, content.subarray(index * blockBytes, index * blockBytes + length), position);
    }
  }
}

async function writeAt(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}
