import { isServed } from "../../platform/database/lock.ts";
import { systemClock } from "../../platform/lib/clock.ts";
import { messageOf, StartError, codeOf } from "../../platform/lib/errors.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { describeOutcome, type ReloadOutcome } from "../../platform/reload/reload.ts";
import { readServerState, type ServerState } from "../../platform/reload/server-file.ts";
import { databasePathOf } from "../appliance/configuration.ts";
import { command, FailedError } from "../terminal/command.ts";
import { configFlag, jsonFlag } from "../terminal/flags.ts";
import { printJson } from "../terminal/table.ts";

/** Maximum time for the server to apply the configuration. */
const patienceMs = 60_000;
const pollMs = 20;
const lineCharactersMax = 2_000;

export const reloadCommand = command({
  name: "reload",
  flags: { json: jsonFlag, config: configFlag },
  async run({ options, terminal: { env, err, out } }) {
    if (process.platform === "win32")
      throw new FailedError("Windows has no signals: the server applies a changed file after a few seconds");
    const path = databasePathOf(options.config, env);
    if (path === ":memory:")
      throw new FailedError(
        "the database is kept in memory only (storage.path): the server applies a changed file after a few seconds",
      );
    const outcome = await requestReload(path);
    if (options.json) printJson(out, jsonOf(outcome));
    if (outcome.exitCode !== 0)
      throw new StartError(describeOutcome(outcome).join("\n"), { exitCode: outcome.exitCode });
    if (!options.json)
      for (const line of describeOutcome(outcome)) err.write(`${visible(line, lineCharactersMax)}\n`);
  },
});

async function requestReload(path: string): Promise<ReloadOutcome> {
  const { pid } = await findServer(path);
  const sentAt = systemClock.now();
  signal(pid, "SIGHUP");
  const endsAt = systemClock.monotonicMs() + patienceMs;
  while (systemClock.monotonicMs() < endsAt) {
    const state = readState(path);
    if (state?.pid !== pid) throw new FailedError("the server has ended");
    if (state.lastReload !== null && state.lastReload.startedAt >= sentAt) return state.lastReload;
    signal(pid, 0);
    await Bun.sleep(pollMs);
  }
  throw new FailedError(`the server did not respond within ${patienceMs / 1_000} s; see its log`);
}

/** Finds the server that holds the lock on the database; waits for one that starts. */
async function findServer(path: string): Promise<ServerState> {
  if (isServed(path) === false)
    throw new FailedError(
      `no server is running on the database ${path}; if storage.path has changed, restart the server`,
    );
  const endsAt = systemClock.monotonicMs() + patienceMs;
  while (systemClock.monotonicMs() < endsAt) {
    const state = readState(path);
    if (state !== undefined) return state;
    await Bun.sleep(pollMs);
  }
  throw new FailedError("the server is not ready; see its log");
}

function readState(path: string): ServerState | undefined {
  try {
    return readServerState(path);
  } catch (error) {
    throw new FailedError(`${messageOf(error)}; run this as root or as the user of the server`);
  }
}

function signal(pid: number, name: "SIGHUP" | 0): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    const code = codeOf(error);
    throw new FailedError(
      code === "EPERM"
        ? `the server (pid ${pid}) belongs to another user; run this as root or as that user`
        : "the server has ended",
    );
  }
}

function jsonOf({ startedAt, endedAt, result, applied, restart, errors }: ReloadOutcome) {
  const time = (instant: number) => new Date(instant).toISOString();
  return { result, started_at: time(startedAt), ended_at: time(endedAt), applied, restart, errors };
}
