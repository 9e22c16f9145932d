import { compareValues } from "./changes.ts";
import { type Config, toConfig } from "../config/config.ts";
import type { LiveConfig } from "./live-config.ts";
import { formatConfigError, type LoadResult } from "../config/load.ts";
import type { Database } from "../database/database.ts";
import type { Clock, Instant } from "../lib/clock.ts";
import { messageOf, StartError } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";

/** Result of preparing a part of the appliance for the next configuration. */
export interface Prepared {
  /** Changes other than settings, such as the content of a certificate file. */
  changes: readonly string[];
  /** Changes that need a restart. */
  restart?: readonly string[];
  /** Puts it into effect. Must not throw. */
  commit(): void;
  /** Releases it. */
  cancel(): void;
}

/** A part of the appliance that needs something that can fail before the next configuration takes effect. */
export interface ReloadPart {
  /** @throws StartError that says what to change */
  prepare(next: Config): Prepared | Promise<Prepared>;
}

/** Reloads the configuration file while the appliance runs. */
export type Reload = ReturnType<typeof createReload>;

/** `file`: a file has changed. That nothing follows from it is not worth a line in the log. */
export type ReloadTrigger = "file" | "request";

export interface ReloadObserver {
  began?(): void;
  ended?(outcome: ReloadOutcome): void;
}

/** Maximum number of changes in a line of the log, and in an entry of the audit log. */
const loggedChangesMax = 50;

interface ReloadDependencies {
  clock: Pick<Clock, "now">;
  live: LiveConfig;
  /** Loads the configuration file. */
  load: () => LoadResult;
  log: Log;
  parts: readonly ReloadPart[];
  database: Pick<Database, "write">;
  /** Makes the database match the configuration in effect, in the caller's transaction. @throws StartError */
  reconcile: (config: Config) => void;
  /** Records what was applied in the audit log, in the same transaction. */
  record: (changes: { applied: readonly string[]; restart: readonly string[] }) => void;
}

export function createReload(dependencies: ReloadDependencies) {
  const { clock, log } = dependencies;
  const observers: ReloadObserver[] = [];
  let last: ReloadOutcome | undefined;
  let running: Promise<ReloadOutcome> | undefined;
  let following: Promise<ReloadOutcome> | undefined;
  let stopped = false;

  async function reload(trigger: ReloadTrigger): Promise<ReloadOutcome> {
    const startedAt = clock.now();
    observers.forEach(({ began }) => began?.());
    const result = await attempt(dependencies);
    const outcome = { startedAt, endedAt: clock.now(), ...result };
    logOutcome(log, outcome, { before: last, trigger });
    last = outcome;
    observers.forEach(({ ended }) => ended?.(outcome));
    return outcome;
  }

  function start(trigger: ReloadTrigger): Promise<ReloadOutcome> {
    running = reload(trigger).finally(() => (running = undefined));
    return running;
  }

  return {
    /**
     * Loads the file and applies what has changed: all of it, or nothing. Calls during a reload share one that follows it.
     * Never rejects.
     */
    run(trigger: ReloadTrigger): Promise<ReloadOutcome> {
      if (stopped) return Promise.resolve(rejected(clock.now(), "the server is stopping"));
      if (running === undefined) return start(trigger);
      following ??= running.then(() => {
        following = undefined;
        return start(trigger);
      });
      return following;
    },

    /** Returns the outcome of the last reload; undefined if there was none since the start. */
    last: () => last,

    /** Calls the observers at the beginning and at the end of each reload. */
    observe: (observer: ReloadObserver) => void observers.push(observer),

    /** Waits for the reload in progress. Later ones fail and change nothing. */
    async stop() {
      stopped = true;
      await (following ?? running);
    },
  };
}

/** Outcome of a reload that was not tried. */
function rejected(at: Instant, error: string): ReloadOutcome {
  return { startedAt: at, endedAt: at, ...failed([error], 1) };
}

type Attempt = Omit<ReloadOutcome, "startedAt" | "endedAt">;

function failed(errors: readonly string[], exitCode: 1 | 2): Attempt {
  return { result: "failed", applied: [], restart: [], errors, exitCode };
}

async function attempt(dependencies: ReloadDependencies): Promise<Attempt> {
  const { database, live, load, parts, reconcile, record } = dependencies;
  const prepared: Prepared[] = [];
  let restore: (() => void) | undefined;
  try {
    const loaded = load();
    if (!loaded.ok) throw new StartError(loaded.errors.map(formatConfigError).join("\n"), { exitCode: 2 });
    const { next, applied, restart } = plan(live.config, loaded.config);
    for (const part of parts) prepared.push(await part.prepare(next));
    const changes = [...applied, ...prepared.flatMap((one) => one.changes)];
    const later = [...restart, ...prepared.flatMap((one) => one.restart ?? [])];
    await database.write(() => {
      // First, because entries are validated with the settings that apply to them.
      restore ??= live.replace(next);
      reconcile(live.config);
      if (changes.length > 0) record({ applied: changes.slice(0, loggedChangesMax), restart: later });
    });
    for (const one of prepared) one.commit();
    live.announce();
    const result = changes.length > 0 ? "applied" : "unchanged";
    return { result, applied: changes, restart: later, errors: [], exitCode: 0 };
  } catch (error) {
    restore?.();
    for (const one of prepared) one.cancel();
    const exitCode = error instanceof StartError ? error.exitCode : 1;
    return failed(messageOf(error).split("\n"), exitCode);
  }
}

/** Returns the configuration to put into effect: what needs a restart stays as it is. */
function plan(inEffect: Config, ofFile: Config): { next: Config; applied: string[]; restart: string[] } {
  const source = ofFile.source!;
  const { values, applied, restart, conflict } = compareValues(inEffect.source!.values, source.values);
  if (conflict !== undefined)
    throw new StartError(
      `${conflict} cannot be applied without a restart, because ${restart.join(", ")} cannot: restart phishwatch to apply both`,
    );
  return { next: { ...toConfig(values), source: { ...source, values } }, applied, restart };
}

/** A file with an error is reported once, unless somebody requested the reload. */
function logOutcome(
  log: Log,
  outcome: ReloadOutcome,
  { before, trigger }: { before: ReloadOutcome | undefined; trigger: ReloadTrigger },
): void {
  const { result, errors } = outcome;
  if (result === "failed") {
    const isKnown = trigger === "file" && Bun.deepEquals(before?.errors, errors);
    if (!isKnown) log.event("config.reload_failed", { errors });
    return;
  }
  if (result === "unchanged" && trigger === "file" && before?.result !== "failed") return;
  const { applied, restart } = outcome;
  const isCut = applied.length > loggedChangesMax;
  log.event("config.reloaded", {
    applied: applied.slice(0, loggedChangesMax),
    restart,
    count: isCut ? applied.length : null,
  });
}

/** Outcome of one reload of the configuration file. Contains no value of a setting. */
export interface ReloadOutcome {
  startedAt: Instant;
  endedAt: Instant;
  /** `failed`: nothing was changed. */
  result: "applied" | "unchanged" | "failed";
  /** Applied changes, such as `log.level` or `feeds "nrd" added`. */
  applied: readonly string[];
  /** Keys whose new value takes effect at the next start. */
  restart: readonly string[];
  /** One line for each error, as the start reports it. */
  errors: readonly string[];
  /** Exit code of `phishwatch reload`: 2 if the configuration is invalid, 1 for another failure. */
  exitCode: 0 | 1 | 2;
}

/** Returns the outcome as lines for people. */
export function describeOutcome({ result, applied, restart, errors }: ReloadOutcome): string[] {
  if (result === "failed")
    return [...errors, "nothing was changed: the previous configuration stays in effect"];
  const lines = applied.map((change) => `applied: ${change}`);
  if (restart.length > 0) lines.push(`needs a restart: ${restart.join(", ")}`);
  return lines.length === 0 ? ["nothing has changed"] : lines;
}
