/**
 * Format of a repository: the backups of one appliance in a store. Every object is written once and never changed, so
 * that a backup that is interrupted leaves the earlier ones as they were.
 *
 * - `phishwatch-backups.json` and `phishwatch-backups.copy.json`: the same JSON, a `RepositoryHead`. Never encrypted. One of
 *   them suffices, because nothing can be read without it; see `head.ts`.
 * - `chunks/<first 2 digits>/<name>`: up to 4 MiB of content, compressed with zstd. The name is the SHA-256 of the
 *   content in 64 hexadecimal digits, or an HMAC-SHA-256 in an encrypted repository, so that equal content is stored
 *   once.
 * - `backups/<id>.json`: JSON, a `BackupManifest`. It is written last: without it, there is no such backup. The id is
 *   the UTC time at which the backup began, such as `2026-01-31-023000`, so that ids sort by time.
 * - `locks/<owner>.json`: see `lock.ts`.
 *
 * A manifest names chunks that contain the list of files: one `FileEntry` in each line, as JSON, sorted by path. A list
 * ends a chunk after lines that their hash selects, so that a file that is added changes one chunk.
 */
import { type Static, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";

export const formatVersion = 1;
export const headKeys = ["phishwatch-backups.json", "phishwatch-backups.copy.json"] as const;
export const chunkPrefix = "chunks/";
export const backupPrefix = "backups/";
export const lockPrefix = "locks/";

/** Maximum content of one chunk. */
export const chunkBytesMax = 4 << 20;
/** Content of a chunk of a file, except its last. */
export const fileChunkBytes = 1 << 20;
/** Unit of the changes of a file: a page of the database. */
export const blockBytes = 4_096;
export const blocksPerChunk = fileChunkBytes / blockBytes;
/** Maximum size of a file in a backup: 16 TiB. */
const fileBytesMax = 2 ** 44;
const chunksMax = fileBytesMax / fileChunkBytes;
const listChunksMax = 1_000_000;
export const filesMax = 20_000_000;

const hash = Type.String({ pattern: "^[0-9a-f]{64}$" });
const chunkName = hash;
const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const timeText = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{3})?Z$" });

const headSchema = Type.Object({
  format: Type.Integer({ minimum: 1, maximum: 1_000 }),
  /** Random, 32 hexadecimal digits. Copies of a repository have the same. */
  id: Type.String({ pattern: "^[0-9a-f]{32}$" }),
  createdAt: timeText,
  /** Parameters of the encryption; null: not encrypted. */
  encryption: Type.Union([Type.Null(), Type.Record(Type.String(), Type.Unknown())]),
  /** See `hashOf`; missing: an earlier version wrote it. */
  hash: Type.Optional(hash),
});
export type RepositoryHead = Static<typeof headSchema>;

const manifestSchema = Type.Object({
  id: Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\d-\\d{6}(-[1-9]\\d{0,3})?$" }),
  /** ISO times in UTC. The database is of a moment between them. */
  beganAt: timeText,
  completedAt: timeText,
  /** Version of phishwatch that made it. */
  version: Type.String({ maxLength: 50 }),
  /** Name of the machine, and id of the `Lineage`. Earlier versions have none. */
  host: Type.Optional(Type.String({ maxLength: 1_000 })),
  lineage: Type.Optional(Type.String({ pattern: "^[0-9a-f]{8}$" })),
  database: Type.Object({
    /** Time of the newest migration in the database, in milliseconds; identifies its schema. */
    schema: count,
    /**
     * The highest number that each table had given to a row (`sqlite_sequence`), at a moment that the copy contains:
     * those of a restored database are at least as high.
     */
    sequences: Type.Record(Type.String(), count),
  }),
  files: count,
  bytes: count,
  /** Content that no earlier backup had, and its size in the store. */
  newBytes: count,
  storedBytes: count,
  /** Chunks with the list of files. */
  list: Type.Array(chunkName, { maxItems: listChunksMax }),
  /** See `hashOf`. */
  hash,
});
export type BackupManifest = Static<typeof manifestSchema>;

const fileSchema = Type.Object({
  /** `database`, `configuration`, `screenshots/<name>` or `archive/<name>`. */
  path: Type.String({
    pattern: "^(database|configuration|(screenshots|archive)/[A-Za-z0-9_-][A-Za-z0-9._-]{0,199})$",
  }),
  bytes: Type.Integer({ minimum: 0, maximum: fileBytesMax }),
  /** Milliseconds since 1970; 0 for the database. */
  modifiedAt: Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  /** The chunks of the whole file, `fileChunkBytes` each. */
  chunks: Type.Array(chunkName, { maxItems: chunksMax }),
  /**
   * Blocks that have changed since, only of the database. The content of such a chunk is blocks one after another;
   * `blocks` has the number of each within the file, or -1 if it has been replaced.
   */
  changes: Type.Optional(
    Type.Array(
      Type.Object({
        chunk: chunkName,
        blocks: Type.Array(Type.Integer({ minimum: -1, maximum: fileBytesMax / blockBytes }), {
          maxItems: chunkBytesMax / blockBytes,
        }),
      }),
      { maxItems: chunksMax },
    ),
  ),
});
export type FileEntry = Static<typeof fileSchema>;

export const isHead = compiled<RepositoryHead>(headSchema);
export const isManifest = compiled<BackupManifest>(manifestSchema);
export const isFileEntry = compiled<FileEntry>(fileSchema);

/** Compiles a schema on first use. */
function compiled<Value>(schema: Parameters<typeof TypeCompiler.Compile>[0]) {
  let check: ReturnType<typeof TypeCompiler.Compile> | undefined;
  return (value: unknown): value is Value => (check ??= TypeCompiler.Compile(schema)).Check(value);
}

/** Returns the SHA-256 of an object as JSON without its field `hash`, in hexadecimal digits. */
export function hashOf(value: object): string {
  const { hash: _, ...rest } = value as { hash?: unknown };
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(rest)).digest("hex");
}

export function chunkKey(name: string): string {
  return `${chunkPrefix}${name.slice(0, 2)}/${name}`;
}

export function manifestKey(id: string): string {
  return `${backupPrefix}${id}.json`;
}

/** Returns undefined for another key. */
export function idOfKey(key: string): string | undefined {
  return /^backups\/(\d{4}-\d\d-\d\d-\d{6}(?:-[1-9]\d{0,3})?)\.json$/.exec(key)?.[1];
}
