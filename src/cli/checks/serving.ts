import { existsSync, statSync } from "node:fs";
import type { Config } from "../../platform/config/config.ts";
import { isServed } from "../../platform/database/lock.ts";
import { findLockHolder, type LockHolder } from "../../platform/database/lock-holder.ts";
import { delay, type Clock } from "../../platform/lib/clock.ts";
import { readServerState, usedWith, type ServerState } from "../../platform/reload/server-file.ts";
import { resultOf, type CheckResult } from "../check-results/check-result.ts";
import type { SourceText } from "../check-results/setting-place.ts";
import { shellWord } from "../../platform/lib/shell-word.ts";

/** Far longer than a transaction takes. */
const heldMs = 1_000;
const intervalMs = 50;
const never = new AbortController().signal;

/** Compares the running server with this program and its configuration file. Returns no result if none runs. */
export function runningServer({
  source,
  storage: { path },
}: Pick<Config, "storage"> & { source?: SourceText | undefined }): CheckResult[] {
  const base = { check: "server", what: "running server" } as const;
  const served = isServed(path);
  if (served === undefined)
    return [
      { ...base, state: "skipped", detail: "not known: this user cannot read the lock file of the server" },
    ];
  if (!served) return [];
  const state = stateOf(path);
  if (state === undefined || source === undefined) return [{ ...base, state: "ok", detail: "runs" }];
  const { uses, lastReload } = state;
  const expected = usedWith(source);
  const { version, commit } = expected;
  const results: CheckResult[] = [];
  const warn = (detail: string, change: string) =>
    results.push({ ...base, state: "warning", detail, change });
  if (uses.version !== version || uses.commit !== commit)
    warn(
      `it has version ${uses.version} (commit ${uses.commit}), this program ${version} (commit ${commit})`,
      "restart the server, which then runs the installed version",
    );
  if (uses.configuration !== expected.configuration)
    warn(
      `it uses ${uses.configuration}, not ${expected.configuration}`,
      `run 'phishwatch check --config ${shellWord(uses.configuration)}'`,
    );
  else if (uses.sha256 !== expected.sha256 && lastReload?.result === "failed")
    warn(
      `the changed ${source.path} cannot be applied: ${lastReload.errors.join("; ")}`,
      "follow the message, then run 'phishwatch reload'",
    );
  else if (uses.sha256 !== expected.sha256)
    warn(`${source.path} was changed since the server read it`, "run 'phishwatch reload'");
  else if (lastReload !== null && lastReload.restart.length > 0)
    warn(`it still uses the previous value of ${lastReload.restart.join(", ")}`, "restart the server");
  if (uses.lists !== expected.lists)
    warn(
      `it uses ${describeLists(uses.lists)}, but ${describeLists(expected.lists)} would be used now`,
      "restart the server",
    );
  return results.length > 0
    ? results
    : [{ ...base, state: "ok", detail: `version ${version}, with this configuration` }];
}

function describeLists(version: string | null): string {
  return version === null ? "the embedded lists" : `the data update ${version}`;
}

/** Returns undefined for a missing or unreadable file. */
function stateOf(path: string): ServerState | undefined {
  try {
    return readServerState(path);
  } catch {
    return undefined;
  }
}

const locksFile = "/proc/locks";

/**
 * Checks that no process holds the write lock of the database at `path` for long: nobody else could write, and the server
 * would reject every change. Waits for a second while the lock is held. Linux only; elsewhere, the holder is not known.
 */
export async function writeLock(path: string, clock: Clock): Promise<CheckResult[]> {
  const base = { check: "write-lock", what: "write lock of the database" } as const;
  // A missing file has no lock. Otherwise, locks may be held that nobody lists.
  if (existsSync(path) && !existsSync(locksFile))
    return [
      { ...base, state: "skipped", detail: `not known: the system does not list locks (${locksFile})` },
    ];
  const first = findLockHolder(path);
  const holder = first === undefined ? undefined : await holderThatStays(path, first, clock);
  return [
    resultOf(
      base,
      "is free",
      holder && {
        state: "error",
        detail: `${holder.command} (process ${holder.pid}) holds it for more than a second, so nothing can be written`,
        change: holder.suspended ? `resume or end process ${holder.pid}` : `end process ${holder.pid}`,
      },
    ),
  ];
}

async function holderThatStays(
  path: string,
  first: LockHolder,
  clock: Clock,
): Promise<LockHolder | undefined> {
  const endMs = clock.monotonicMs() + heldMs;
  const before = writtenIn(path);
  for (;;) {
    const holder = findLockHolder(path);
    // A process that writes much holds the lock at each look, but releases it in between.
    if (holder?.pid !== first.pid || writtenIn(path) !== before) return undefined;
    if (clock.monotonicMs() >= endMs) return holder;
    await delay(clock, intervalMs, never);
  }
}

/** Returns the state of the write-ahead log as text. Every transaction changes it. */
function writtenIn(path: string): string {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  return log === undefined ? "" : `${log.size} ${log.mtimeMs}`;
}
