import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";

/** Half of a SHA-256. */
export const blockHashBytes = 16;
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
  const path = indexPath(databasePath, repositoryId);
  const next = `${path}.next`;
  const head = { form, repository: repositoryId, id, hash: hashOf(hashes) };
  try {
    // Root may make a backup of an appliance of another user: it must not write through a link of that user.
    rmSync(next, { force: true });
    const file = openSync(next, "wx", 0o600);
    try {
      for (const part of [Buffer.from(`${JSON.stringify(head)}\n`), hashes])
        for (let written = 0; written < part.length;) written += writeSync(file, part, written);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

function hashOf(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}
