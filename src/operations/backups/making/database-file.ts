import {
  blockBytes,
  blocksPerChunk,
  chunkBytesMax,
  fileChunkBytes,
  type FileEntry,
} from "../repository/format.ts";
import type { ChunkWriter } from "./chunk-writer.ts";
import type { DatabaseSnapshot } from "./database-snapshot.ts";
import { readFileSync } from "node:fs";
import { replaceFile } from "../../../platform/lib/disk.ts";

/** A chunk of the file is stored as a whole if more of its blocks than this have changed since it was. */
const changedBlocksMax = blocksPerChunk / 4;
/** The blocks of a chunk with changes are stored again if fewer of them than this share are still in use. */
const usedShareMin = 0.25;
const blocksPerChange = chunkBytesMax / blockBytes;

/** The database in the last backup. */
export interface PreviousDatabase {
  entry: FileEntry;
  /** Hashes of its blocks, see `BlockIndex`. */
  hashes: Buffer;
}

/**
 * Stores the database of a snapshot. A thousand changes touch most chunks, but few blocks: where the last backup is
 * known, only the blocks that have changed are stored, one after another, in chunks of their own.
 * @returns its entry, and the hashes of its blocks for the next backup
 * @throws StoreError, or an error of the system
 */
export async function storeDatabase(
  snapshot: Pick<DatabaseSnapshot, "bytes" | "read">,
  chunks: ChunkWriter,
  previous: PreviousDatabase | undefined,
): Promise<{ entry: FileEntry; hashes: Buffer }> {
  const { bytes } = snapshot;
  const hashes = Buffer.alloc(Math.ceil(bytes / blockBytes) * blockHashBytes);
  const changes = collectChanges(previous?.entry, chunks);
  const names: string[] = [];
  const buffer = Buffer.alloc(fileChunkBytes);
  for (let position = 0; position < bytes; position += fileChunkBytes) {
    const content = buffer.subarray(0, Math.min(fileChunkBytes, bytes - position));
    snapshot.read(content, position);
    const first = position / blockBytes;
    hashBlocks(content, hashes, first);
    const base = previous?.entry.chunks[position / fileChunkBytes];
    const extent = { length: content.length, bytes };
    const changed =
      previous && base !== undefined ? changedBlocks(previous, hashes, first, extent) : undefined;
    const stored = first + Math.ceil(content.length / blockBytes);
    const kept = changed === undefined ? [] : changes.keptBetween(first, stored, changed);
    if (
      base !== undefined &&
      changed !== undefined &&
      chunks.has(base) &&
      changed.length + kept.length <= changedBlocksMax
    ) {
      names.push(base);
      changes.keep(kept);
      for (const block of changed) {
        const offset = (block - first) * blockBytes;
        await changes.add(block, content.subarray(offset, offset + blockBytes));
      }
    } else {
      names.push(await chunks.write(content));
    }
  }
  const list = await changes.finish();
  const entry = { path: "database", bytes, modifiedAt: 0, chunks: names };
  return { entry: list.length === 0 ? entry : { ...entry, changes: list }, hashes };
}

function hashBlocks(content: Buffer, hashes: Buffer, first: number): void {
  for (let offset = 0; offset < content.length; offset += blockBytes) {
    const block = content.subarray(offset, offset + blockBytes);
    const hash = new Bun.CryptoHasher("sha256").update(block).digest();
    hash.copy(hashes, (first + offset / blockBytes) * blockHashBytes, 0, blockHashBytes);
  }
}

/**
 * Returns the numbers of the blocks that differ, or undefined if the file had another length there.
 * @param length of the chunk
 * @param bytes size of the file
 */
function changedBlocks(
  { entry, hashes: before }: PreviousDatabase,
  hashes: Buffer,
  first: number,
  { length, bytes }: { length: number; bytes: number },
): number[] | undefined {
  const end = first * blockBytes + length;
  // The last chunk of a file that has grown was shorter.
  const isWhole = length === fileChunkBytes && end <= entry.bytes;
  if (!isWhole && entry.bytes !== bytes) return undefined;
  const changed: number[] = [];
  for (let block = first; block * blockBytes < end; block++) {
    const from = block * blockHashBytes;
    if (hashes.compare(before, from, from + blockHashBytes, from, from + blockHashBytes) !== 0)
      changed.push(block);
  }
  return changed;
}

/** Collects the changed blocks, and blocks of the last backup that are still in use. */
function collectChanges(previous: FileEntry | undefined, chunks: ChunkWriter) {
  const earlier = (previous?.changes ?? []).filter(({ chunk }) => chunks.has(chunk));
  /** Index in `earlier`, by block. */
  const placeOf = new Map<number, number>();
  for (const [place, { blocks }] of earlier.entries())
    for (const block of blocks) if (block >= 0) placeOf.set(block, place);
  const isSparse = earlier.map(
    ({ blocks }) => blocks.filter((block) => block >= 0).length < usedShareMin * blocks.length,
  );
  const missing = (previous?.changes ?? [])
    .filter(({ chunk }) => !chunks.has(chunk))
    .flatMap(({ blocks }) => blocks);
  const missingBlocks = new Set(missing);
  const kept = new Set<number>();
  const added: { chunk: string; blocks: number[] }[] = [];
  const buffer = Buffer.alloc(chunkBytesMax);
  let blocks: number[] = [];

  async function flush() {
    if (blocks.length === 0) return;
    const chunk = await chunks.write(buffer.subarray(0, blocks.length * blockBytes));
    added.push({ chunk, blocks });
    blocks = [];
  }

  return {
    /**
     * Returns the blocks of a part of the file that stay where the last backup stored them as changes. Adds those that
     * have to be stored again to `changed`.
     */
    keptBetween(first: number, end: number, changed: number[]): number[] {
      const isChanged = new Set(changed);
      const result: number[] = [];
      for (let block = first; block < end; block++) {
        if (isChanged.has(block)) continue;
        const place = placeOf.get(block);
        if (missingBlocks.has(block) || (place !== undefined && isSparse[place])) changed.push(block);
        else if (place !== undefined) result.push(block);
      }
      return result;
    },
    keep(some: readonly number[]): void {
      for (const block of some) kept.add(block);
    },
    async add(block: number, content: Uint8Array): Promise<void> {
      // The last block of the file may be shorter.
      buffer.fill(0, blocks.length * blockBytes, (blocks.length + 1) * blockBytes);
      buffer.set(content, blocks.length * blockBytes);
      blocks.push(block);
      if (blocks.length === blocksPerChange) await flush();
    },
    async finish() {
      await flush();
      const stillUsed = earlier.flatMap(({ chunk, blocks: all }) => {
        const used = all.map((block) => (kept.has(block) ? block : -1));
        return used.some((block) => block >= 0) ? [{ chunk, blocks: used }] : [];
      });
      return [...stillUsed, ...added];
    },
  };
}

/** Half of a SHA-256. */
const blockHashBytes = 16;
const form = "phishwatch block index 1";

/**
 * Hashes of the blocks of the database in a backup, in a file next to the database. With it, the next backup finds the
 * blocks that have changed without reading the last one. Without it, the next backup stores more.
 */
export interface BlockIndex {
  /** Id of the backup. */
  id: string;
  /** `blockHashBytes` for each block, one after another. */
  hashes: Buffer;
}

/** @param repositoryId several repositories have an index each */
function indexPath(databasePath: string, repositoryId: string): string {
  return `${databasePath}.backup-${repositoryId.slice(0, 8)}`;
}

/** Returns undefined if there is none that is valid. */
export function readBlockIndex(databasePath: string, repositoryId: string): BlockIndex | undefined {
  try {
    const bytes = readFileSync(indexPath(databasePath, repositoryId));
    const end = bytes.indexOf("\n");
    const head = JSON.parse(bytes.toString("utf8", 0, end)) as Record<string, unknown>;
    const hashes = bytes.subarray(end + 1);
    const isValid =
      head["form"] === form &&
      head["repository"] === repositoryId &&
      typeof head["id"] === "string" &&
      head["hash"] === hashOf(hashes);
    return isValid ? { id: head["id"] as string, hashes } : undefined;
  } catch {
    // Missing or damaged.
    return undefined;
  }
}

/** @throws an error of the system */
export function writeBlockIndex(
  databasePath: string,
  repositoryId: string,
  { id, hashes }: BlockIndex,
): void {
  const head = { form, repository: repositoryId, id, hash: hashOf(hashes) };
  const content = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), hashes]);
  replaceFile(indexPath(databasePath, repositoryId), content);
}

function hashOf(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}
