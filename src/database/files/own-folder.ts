import { statSync } from "node:fs";
import { dirname } from "node:path";
import { StartError } from "../../lib/errors.ts";

/**
 * Rejects that root replaces the files of another user: that user could lead root elsewhere with links, and the server
 * could not use files that belong to root.
 * @param path database
 * @throws StartError that says how to run the command
 */
export function requireOwnFolder(path: string): void {
  if (process.geteuid?.() !== 0) return;
  const folder = dirname(path);
  const owner = statSync(folder, { throwIfNoEntry: false })?.uid ?? 0;
  if (owner === 0) return;
  throw new StartError(
    `${folder} belongs to user ${owner}, so run this as that user: sudo -u '#${owner}' phishwatch …`,
    { exitCode: 1 },
  );
}
