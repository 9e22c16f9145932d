import { type BackupStore, StoreError } from "../stores/store.ts";
import {
  type BackupManifest,
  chunkBytesMax,
  chunkKey,
  type FileEntry,
  filesMax,
  isFileEntry,
} from "./format.ts";
import { zstdDecompressSync } from "node:zlib";
import { messageOf } from "../../../platform/lib/errors.ts";
import { parseJson } from "../../../platform/lib/json.ts";

/** A chunk of the list has about this many lines on average. */
const linesPerChunk = 256;
const listChunkBytesMax = chunkBytesMax / 2;

/**
 * Divides the list of files into the contents of chunks. The hash of a line decides whether a chunk ends after it, so
 * that a change affects one chunk.
 * @param entries sorted by path
 */
export function* listChunks(entries: Iterable<FileEntry>): Generator<Uint8Array> {
  let lines: Buffer[] = [];
  let bytes = 0;
  for (const entry of entries) {
    for (const part of partsOf(entry)) {
      const line = Buffer.from(`${JSON.stringify(part)}\n`);
      if (bytes + line.length > listChunkBytesMax && lines.length > 0) {
        yield Buffer.concat(lines);
        [lines, bytes] = [[], 0];
      }
      lines.push(line);
      bytes += line.length;
    }
    if (Bun.hash.crc32(entry.path) % linesPerChunk !== 0) continue;
    yield Buffer.concat(lines);
    [lines, bytes] = [[], 0];
  }
  if (lines.length > 0) yield Buffer.concat(lines);
}

/** Items of a list of chunks in one line, so that a line fits into a chunk. */
const chunksPerLine = 10_000;
const changesPerLine = 100;

/** Divides the entry of a large file: lines with the same path are parts of one entry. */
function* partsOf(entry: FileEntry): Generator<FileEntry> {
  const { chunks, changes, ...rest } = entry;
  const parts = Math.max(
    1,
    Math.ceil(chunks.length / chunksPerLine),
    Math.ceil((changes?.length ?? 0) / changesPerLine),
  );
  for (let part = 0; part < parts; part++) {
    const some = changes?.slice(part * changesPerLine, (part + 1) * changesPerLine);
    yield {
      ...rest,
      chunks: chunks.slice(part * chunksPerLine, (part + 1) * chunksPerLine),
      ...(some === undefined || some.length === 0 ? {} : { changes: some }),
    };
  }
}

/** Yields the files of a backup, sorted by path. @throws StoreError `damaged` */
export async function* readFileList(
  store: BackupStore,
  manifest: Pick<BackupManifest, "id" | "list">,
): AsyncGenerator<FileEntry> {
  let current: FileEntry | undefined;
  let count = 0;
  for (const name of manifest.list) {
    for (const line of (await getChunk(store, name)).toString().split("\n")) {
      if (line === "") continue;
      const part = parseEntry(line);
      if (part === undefined || (current !== undefined && part.path < current.path) || ++count > filesMax)
        throw new StoreError("damaged", `${store.name}: the list of files of ${manifest.id} is invalid`);
      if (current?.path === part.path) {
        current.chunks.push(...part.chunks);
        if (part.changes !== undefined) current.changes = [...(current.changes ?? []), ...part.changes];
        continue;
      }
      if (current !== undefined) yield current;
      current = part;
    }
  }
  if (current !== undefined) yield current;
}

function parseEntry(line: string): FileEntry | undefined {
  const value = parseJson(line);
  return isFileEntry(value) ? value : undefined;
}

/** Yields the names of all chunks that a file consists of. */
export function* chunksOf({ chunks, changes }: FileEntry): Generator<string> {
  yield* chunks;
  for (const { chunk } of changes ?? []) yield chunk;
}

/** Compresses four times faster than the next level, to about the same size. */
const compressionLevel = 3;
/** Smallest buffer that the decompressor accepts. */
const decompressedBytesMin = 64;

/** Compresses content and stores it. Returns the number of bytes that were stored. @throws StoreError */
export async function putChunk(store: BackupStore, name: string, content: Uint8Array): Promise<number> {
  const bytes = Bun.zstdCompressSync(content, { level: compressionLevel });
  await store.put(chunkKey(name), bytes);
  return bytes.length;
}

/**
 * Returns the content of a chunk, which is what it was when its name was computed.
 * @param name as `isFileEntry` and `isManifest` accept it
 * @throws StoreError `damaged` if it is missing or has another content
 */
export async function getChunk(store: BackupStore, name: string): Promise<Buffer> {
  const key = chunkKey(name);
  const bytes = await store.get(key);
  if (bytes === undefined) throw new StoreError("damaged", `${store.name}: ${key} is missing`);
  const content = decompress(store, key, bytes);
  if (store.nameOf(content) !== name)
    throw new StoreError("damaged", `${store.name}: ${key} is damaged: its content does not match its name`);
  return content;
}

function decompress(store: BackupStore, key: string, bytes: Uint8Array): Buffer {
  try {
    // The limit keeps a few bytes from becoming gigabytes.
    return zstdDecompressSync(bytes, { maxOutputLength: chunkBytesMax, chunkSize: decompressedChunk(bytes) });
  } catch (error) {
    throw new StoreError("damaged", `${store.name}: ${key} is damaged: ${messageOf(error)}`, error);
  }
}

function decompressedChunk(bytes: Uint8Array): number {
  return Math.min(chunkBytesMax, Math.max(decompressedBytesMin, 8 * bytes.length));
}
