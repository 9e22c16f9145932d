import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StartError } from "../../lib/errors.ts";
import { shellWord } from "../../lib/shell-word.ts";

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
  const user = nameOfUser(owner);
  throw new StartError(
    `${folder} belongs to the user ${user ?? owner}, so run this as that user: sudo -u ${shellWord(user ?? `#${owner}`)} phishwatch …`,
    { exitCode: 1 },
  );
}

/** Returns undefined for a user that this machine does not list. */
function nameOfUser(id: number): string | undefined {
  try {
    return new RegExp(`^([a-z_][a-z0-9_-]*):[^:]*:${id}:`, "m").exec(
      readFileSync("/etc/passwd", "utf8"),
    )?.[1];
  } catch {
    return undefined;
  }
}
