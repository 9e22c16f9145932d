import { StoreError, type BackupStore } from "../stores/store.ts";
import { getChunk } from "./chunks.ts";
import { chunkBytesMax, filesMax, isFileEntry, type BackupManifest, type FileEntry } from "./format.ts";

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
  try {
    const value: unknown = JSON.parse(line);
    return isFileEntry(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Yields the names of all chunks that a file consists of. */
export function* chunksOf({ chunks, changes }: FileEntry): Generator<string> {
  yield* chunks;
  for (const { chunk } of changes ?? []) yield chunk;
}
