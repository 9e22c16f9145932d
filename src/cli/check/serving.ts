import { createHash } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import type { Config } from "../../config/config.ts";
import { readSmallFile } from "../../database/files/read-file.ts";
import { isServed } from "../../database/lock.ts";
import { buildInfo } from "../../lib/build-info.ts";
import { listsVersion } from "../../lib/lists/list-texts.ts";
import { logDropped, type Log } from "../../lib/log.ts";
import type { CheckResult } from "./check-result.ts";
import type { SourceText } from "./setting-place.ts";

/** Version and configuration of a server, in a file next to the database that only its owner can read. */
interface Serving {
  version: string;
  commit: string;
  /** Path of its configuration file. */
  configuration: string;
  /** SHA-256 of the content of that file, hexadecimal. */
  sha256: string;
  /** Version of its data update; "" without one. */
  lists: string;
}

const recordBytesMax = 1 << 16;

/** Records what this server runs with. Call it after the start and after each reload. */
export function recordServing(
  { source, storage: { path } }: Pick<Config, "source" | "storage">,
  log: Log,
): void {
  if (path === ":memory:" || source === undefined) return;
  const { version, commit } = buildInfo;
  const serving: Serving = {
    version,
    commit,
    configuration: source.path,
    sha256: hashOf(source.text),
    lists: listsVersion() ?? "",
  };
  const next = `${fileOf(path)}.next`;
  try {
    writeFileSync(next, `${JSON.stringify(serving)}\n`, { mode: 0o600 });
    renameSync(next, fileOf(path));
  } catch (error) {
    logDropped(log, error, "server.record_failed");
  }
}

/** Deletes the record when the server has stopped. One that a killed server left is ignored. */
export function forgetServing({ storage: { path } }: Pick<Config, "storage">): void {
  if (path !== ":memory:") rmSync(fileOf(path), { force: true });
}

/** Compares the running server with this program and its configuration file. Returns no result if none runs. */
export function runningServer({
  source,
  storage: { path },
}: Pick<Config, "storage"> & { source?: SourceText | undefined }): CheckResult[] {
  const base = { check: "server", what: "running server" } as const;
  if (isServed(path) !== true) return [];
  const serving = readServing(path);
  if (serving === undefined) return [{ ...base, state: "ok", detail: "runs" }];
  const { version, commit } = buildInfo;
  const results: CheckResult[] = [];
  if (serving.version !== version || serving.commit !== commit)
    results.push({
      ...base,
      state: "warning",
      detail: `it has version ${serving.version} (commit ${serving.commit}), this program ${version} (commit ${commit})`,
      change: "restart the server, which then runs the installed version",
    });
  if (source !== undefined && serving.configuration !== source.path)
    results.push({
      ...base,
      state: "warning",
      detail: `it uses ${serving.configuration}, not ${source.path}`,
      change: `run 'phishwatch check --config ${serving.configuration}'`,
    });
  else if (source !== undefined && serving.sha256 !== hashOf(source.text))
    results.push({
      ...base,
      state: "warning",
      detail: `${source.path} was changed since the server read it`,
      change: "reload or restart the server",
    });
  if (serving.lists !== (listsVersion() ?? ""))
    results.push({
      ...base,
      state: "warning",
      detail: `it uses ${describeLists(serving.lists)}, but ${describeLists(listsVersion() ?? "")} would be used now`,
      change: "restart the server",
    });
  return results.length > 0
    ? results
    : [{ ...base, state: "ok", detail: `version ${version}, with this configuration` }];
}

function describeLists(version: string): string {
  return version === "" ? "the embedded lists" : `the data update ${version}`;
}

function fileOf(path: string): string {
  return `${path}.serving`;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Returns undefined for a missing or unreadable file. */
function readServing(path: string): Serving | undefined {
  try {
    const value = JSON.parse(
      readSmallFile(fileOf(path), recordBytesMax).bytes.toString(),
    ) as Partial<Serving> | null;
    const { version, commit, configuration, sha256, lists } = value ?? {};
    const isComplete = [version, commit, configuration, sha256, lists].every(
      (one) => typeof one === "string",
    );
    return isComplete ? (value as Serving) : undefined;
  } catch {
    return undefined;
  }
}
