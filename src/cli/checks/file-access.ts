import { accessSync, constants, existsSync, readdirSync, statSync, type Stats } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Config } from "../../platform/config/config.ts";
import { findSecretPlaces } from "../../platform/config/safety.ts";
import { shellWord } from "../../platform/lib/shell-word.ts";
import { resultsOf, type CheckResult } from "./result.ts";

const readableByAll = 0o004;
const changeableByAll = 0o002;
const sticky = 0o1000;
const usableByAll = 0o001;
const keysShownMax = 5;

/** Returns a note for each file that contains secrets and that every user of the machine can read. */
export function exposedSecrets({ source }: Pick<Config, "source">): CheckResult[] {
  if (source === undefined) return [];
  const { inFile, files } = findSecretPlaces(source);
  const results: CheckResult[] = [];
  if (inFile.length > 0 && isReadableByAll(source.path)) {
    const keys = inFile.slice(0, keysShownMax).join(", ");
    results.push(
      resultsOf("secrets", "configuration file").warning(
        `${source.path} contains secrets (${keys}) and every user can read it`,
        `run 'chmod o-r ${shellWord(source.path)}', or keep them elsewhere with { env = "NAME" }, { file = "path" } or { credential = "name" }`,
      ),
    );
  }
  const exposed = files.map((file) => resolve(dirname(source.path), file)).filter(isReadableByAll);
  return [...results, ...exposed.map((path) => readable("secret file", path, "contains a secret"))];
}

/** Returns a note for the private key and the database if every user of the machine can read them. */
export function exposedFiles({
  server: { tls },
  storage: { path },
}: Pick<Config, "server" | "storage">): CheckResult[] {
  const results: CheckResult[] = [];
  if (tls !== null && isReadableByAll(tls.keyPath))
    results.push(readable("private key", tls.keyPath, "is the private key of the server"));
  if (path !== ":memory:" && isReadableByAll(path) && isEnteredByAll(dirname(path)))
    results.push(readable("database file", path, "contains the secrets of endpoints and channels"));
  return results;
}

/**
 * Returns a note for each file that decides what the server does and that every user of the machine can change or
 * replace. The running server applies a changed file without a request.
 */
export function changeableFiles({
  source,
  server: { tls },
  backup: { location },
}: Pick<Config, "source" | "server" | "backup">): CheckResult[] {
  if (source === undefined) return [];
  const folder = dirname(source.path);
  const secrets = findSecretPlaces(source).files.map((file) => resolve(folder, file));
  const files: [what: string, path: string][] = [
    ["configuration file", source.path],
    ...secrets.map((path): [string, string] => ["secret file", path]),
    ...(tls === null ? [] : [tls.certPath, tls.keyPath]).map((path): [string, string] => ["TLS file", path]),
  ];
  const results = new Map<string, CheckResult>();
  const note = (what: string, path: string) =>
    results.set(
      path,
      resultsOf("secrets", what).warning(
        `every user can change ${path}, and with it what the server does or a restore restores`,
        `run 'chmod o-w ${shellWord(path)}'`,
      ),
    );
  for (const [what, path] of files) {
    if (isChangeableByAll(path)) note(what, path);
    if (isChangeableByAll(dirname(path))) note(`folder of the ${what}`, dirname(path));
  }
  // The store rejects a changed object only if it is encrypted, and others could delete it in any case.
  if (location.kind === "folder" && isChangeableByAll(location.folder))
    note("backup folder", location.folder);
  return [...results.values()];
}

/** In a folder with the sticky bit, such as /tmp, only the owner of a file can replace it. */
function isChangeableByAll(path: string): boolean {
  const found = statOf(path);
  if (found === undefined || (found.mode & changeableByAll) === 0) return false;
  return found.isFile() || (found.isDirectory() && (found.mode & sticky) === 0);
}

function readable(what: string, path: string, content: string): CheckResult {
  const detail = `${path} ${content} and every user can read it`;
  return resultsOf("secrets", what).warning(detail, `run 'chmod o-r ${shellWord(path)}'`);
}

/** Returns whether every user can use the folder. Folders above it are not checked. */
function isEnteredByAll(folder: string): boolean {
  return ((statOf(folder)?.mode ?? 0) & usableByAll) !== 0;
}

/**
 * Returns a note if the server runs as root: if root checks, and no other user owns its data.
 * @param uid of the current user
 */
export function rootUser(
  { storage: { path } }: Pick<Config, "storage">,
  uid: number | undefined,
): CheckResult[] {
  if (uid !== 0) return [];
  const owner = path === ":memory:" ? undefined : statOf(dirname(path))?.uid;
  if (owner !== undefined && owner !== 0) return [];
  return [
    resultsOf("user", "user").warning(
      "this is root, and a server that runs as root exposes the whole machine if it is compromised; Chromium has no sandbox then",
      "run 'phishwatch serve' as a user of its own, for example with 'phishwatch service install'",
    ),
  ];
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
  const results = resultsOf("data-folder", "data folder", "storage.path");
  const found = statOf(folder);
  if (found?.isDirectory() !== true) {
    const problem = creationProblem(folder);
    const change = "set it to a path in a folder that the user of the server may write to";
    return problem === undefined ? [] : [results.error(problem, change)];
  }
  const owner = found.uid;
  const problems: CheckResult[] = [];
  if (owner !== uid)
    problems.push(
      results.warning(
        `${folder} belongs to user ${owner}, but this is user ${uid}: run 'phishwatch serve' as user ${owner}`,
        `run the server as user ${owner}, or run 'chown -R' on the folder`,
      ),
    );
  const configOwner = source && statOf(dirname(source.path))?.uid;
  if (configOwner !== undefined && configOwner !== 0 && configOwner !== owner)
    problems.push(
      results.warning(
        `${folder} belongs to user ${owner}, but the folder of the configuration file to user ${configOwner}`,
        "let both belong to the user of the server",
      ),
    );
  const foreign = filesOfOthers(path, owner);
  if (foreign.length > 0)
    problems.push(
      results.error(
        `${foreign.join(", ")} must belong to user ${owner} like the folder, or the server cannot open it: run chown`,
        `run 'chown ${owner} ${foreign.map(shellWord).join(" ")}'`,
      ),
    );
  return problems;
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

/** Returns why this user cannot write files to a folder, which is created when it is needed. */
export function writingProblem(folder: string): string | undefined {
  if (!existsSync(folder)) return creationProblem(folder);
  if (statOf(folder)?.isDirectory() !== true) return `${folder} is not a folder`;
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch {
    return `this user may not write to ${folder}`;
  }
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
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
