import { accessSync, constants, existsSync, readdirSync, statSync, type Stats } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Config } from "../../config/config.ts";
import { findSecretPlaces } from "../../config/safety/secret-places.ts";
import type { CheckResult } from "./check-result.ts";

const readableByAll = 0o004;
const keysShownMax = 5;

/** Returns a note for each file that contains secrets and that every user of the machine can read. */
export function exposedSecrets({ source }: Pick<Config, "source">): CheckResult[] {
  if (source === undefined) return [];
  const { inFile, files } = findSecretPlaces(source);
  const results: CheckResult[] = [];
  if (inFile.length > 0 && isReadableByAll(source.path)) {
    const keys = inFile.slice(0, keysShownMax).join(", ");
    results.push({
      what: "configuration file",
      state: "warning",
      detail: `${source.path} contains secrets (${keys}) and every user can read it: run chmod o-r, or keep them elsewhere with { env = "NAME" }, { file = "path" } or { credential = "name" }`,
    });
  }
  for (const file of files) {
    const path = resolve(dirname(source.path), file);
    if (!isReadableByAll(path)) continue;
    const detail = `${path} contains a secret and every user can read it: run chmod o-r`;
    results.push({ what: "secret file", state: "warning", detail });
  }
  return results;
}

function isReadableByAll(path: string): boolean {
  const found = statOf(path);
  return found?.isFile() === true && (found.mode & readableByAll) !== 0;
}

/**
 * Returns what would keep the server from using the folder of the database: another owner than the one who checks, files
 * of another owner in it, or no permission to create it.
 * @param uid of the current user; undefined where the system has no users
 */
export function dataFolder(
  { storage: { path }, source }: Pick<Config, "storage" | "source">,
  uid: number | undefined,
): CheckResult[] {
  if (path === ":memory:" || uid === undefined) return [];
  const folder = dirname(path);
  const what = "data folder";
  const found = statOf(folder);
  if (found?.isDirectory() !== true) {
    const problem = creationProblem(folder);
    return problem === undefined ? [] : [{ what, state: "error", detail: problem }];
  }
  const owner = found.uid;
  const notes: string[] = [];
  if (owner !== uid)
    notes.push(`belongs to user ${owner}, but this is user ${uid}: run 'phishwatch serve' as user ${owner}`);
  const configOwner = source === undefined ? undefined : statOf(dirname(source.path))?.uid;
  if (configOwner !== undefined && configOwner !== 0 && configOwner !== owner)
    notes.push(`belongs to user ${owner}, but the folder of the configuration file to user ${configOwner}`);
  const results: CheckResult[] = notes.map((note) => ({
    what,
    state: "warning",
    detail: `${folder} ${note}`,
  }));
  const foreign = filesOfOthers(path, owner);
  if (foreign.length > 0)
    results.push({
      what,
      state: "error",
      detail: `${foreign.join(", ")} must belong to user ${owner} like the folder, or the server cannot open it: run chown`,
    });
  return results;
}

/** Returns the files of the database that belong to another user than its folder. Root's server can use any of them. */
function filesOfOthers(path: string, owner: number): string[] {
  if (owner === 0) return [];
  const name = path.slice(dirname(path).length + 1);
  return readdirSync(dirname(path))
    .filter((file) => file.startsWith(name))
    .map((file) => join(dirname(path), file))
    .filter((file) => (statOf(file)?.uid ?? owner) !== owner);
}

function creationProblem(folder: string): string | undefined {
  let above = folder;
  while (!existsSync(above) && dirname(above) !== above) above = dirname(above);
  if (statOf(above)?.isDirectory() !== true) return `${folder} cannot be created: ${above} is not a folder`;
  try {
    accessSync(above, constants.W_OK | constants.X_OK);
    return undefined;
  } catch {
    return `${folder} cannot be created: this user may not write to ${above}`;
  }
}

/** Returns undefined for what does not exist or cannot be seen by this user. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
