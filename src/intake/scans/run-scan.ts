import type { Config } from "../../platform/config/config.ts";
import type { Needs } from "../../platform/database/needs.ts";
import type { ProtectedDomain } from "../../threats/domains/domains.ts";
import type { Clock, Timer } from "../../platform/lib/clock.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import type { Yielder } from "../../platform/lib/yielder.ts";
import type { LookUpExistence, Existence } from "../../facts/lookups/dns/existence.ts";
import type { DnsClient, ResolverCheck } from "../../platform/network/dns/dns-client.ts";
import type { ResolverHealth } from "./resolver-health.ts";
import { problemOfResolvers, ScanError } from "./scan-error.ts";
import { createScanRecorder, type ScanRecords, type ScanWatcher } from "./scan-recorder.ts";
import type { ScanStore } from "./store.ts";
import type { ScanCounts } from "./tables.ts";
import type { Permutation } from "../../engines/detection/generate/permutations.ts";
import type { ProtectedName } from "../../engines/detection/types.ts";

export interface ScanDependencies extends ScanRecords, Needs<"yielder"> {
  dns: Pick<DnsClient, "confirmDenials">;
  resolverHealth: Pick<ResolverHealth, "check">;
  lookUp: LookUpExistence;
  config: Pick<Config, "detection" | "scan">;
}

/** Targets of a scan, and where its progress is recorded. */
interface ScanOrder {
  id: string;
  store: ScanStore;
  targets: readonly ProtectedDomain[];
  limit?: number | undefined;
  /** Cancels the scan; also aborted when another process requests it through the database. */
  cancelling: AbortController;
  watcher: ScanWatcher;
}

/**
 * Expected duration of a lookup. It determines the number of concurrent lookups, which should use up the queries per
 * second but not more: further ones would only wait for each other.
 */
const lookupSeconds = 0.5;
const concurrentLookupsMin = 8;
const concurrentLookupsMax = 128;
const recordIntervalMs = 1_000;
/** How often the resolvers are checked during a scan, and so the age of the denials that are resolved again. */
const confirmIntervalMs = 5_000;

/**
 * Looks up the look-alikes of `targets` and records those that exist together with the counts, batch by batch: a scan
 * that is interrupted keeps its results. Resolves when everything is recorded. If a resolver begins to deny names that
 * exist during the scan, the names that were denied since are looked up again; if all do, the scan fails.
 * @throws ScanError, or the database's error.
 */
export async function runScan(dependencies: ScanDependencies, order: ScanOrder): Promise<void> {
  const { config, dns, lookUp, resolverHealth } = dependencies;
  const { id, store, targets, limit, cancelling, watcher } = order;
  const { signal } = cancelling;
  const yielder = dependencies.yielder();
  const recorder = createScanRecorder({
    ...dependencies,
    store,
    id,
    targets: new Set(targets.map(({ domain }) => domain)),
    watcher,
    cancel: () => cancelling.abort(),
  });
  /** Aborted with the first error, which stops the lookups of all workers. */
  const failing = new AbortController();
  const ending = AbortSignal.any([signal, failing.signal]);

  const queue = createNameQueue();
  const lookUpNext = async () => {
    for (let name = queue.next(); name !== undefined && !ending.aborted; name = queue.next()) {
      const existence = await lookUp(name, { signal: ending });
      // The result of an aborted lookup means nothing.
      if (ending.aborted) return;
      await recorder.add(name, existence);
      queue.note(name, existence);
      if (yielder.due()) await yielder.pause();
    }
  };
  /** Queues the names again whose denials cannot be believed. Fails if no resolver is left that can be. */
  const confirm = async () => {
    if (ending.aborted) return;
    const isConfirmed = await dns.confirmDenials({ signal: ending });
    const doubted = queue.takeDenied();
    if (isConfirmed || ending.aborted) return;
    recorder.retract(doubted.length);
    requireHonestResolver(await resolverHealth.check({ signal: ending }), ending);
    queue.add(doubted);
  };

  let confirmed = Promise.resolve();
  const confirmInTurn = () => (confirmed = confirmed.then(confirm));
  const onError = (error: unknown) => failing.abort(error);
  // Started before anything else, because this is also how a requested end is noticed.
  const stopRecording = repeat(dependencies.clock, recordIntervalMs, recorder.flush, onError);
  const stopConfirming = repeat(dependencies.clock, confirmIntervalMs, confirmInTurn, onError);
  try {
    requireHonestResolver(await resolverHealth.check({ signal: ending }), ending);
    await dns.confirmDenials({ signal: ending });
    const names = await generateLookAlikes(targets, {
      minSimilarity: config.detection.minSimilarity,
      limit,
      yielder,
      signal,
    });
    recorder.plan(names.length);
    queue.fill(names);
    while (!queue.isEmpty() && !ending.aborted) {
      const workers = Array.from({ length: concurrentLookups(config.scan.queriesPerSecond) }, lookUpNext);
      await Promise.all(workers.map((worker) => worker.catch(onError)));
      await confirmInTurn();
    }
  } catch (error) {
    onError(error);
  } finally {
    stopRecording();
    stopConfirming();
  }
  // Results that precede a failure are kept.
  await recorder.flush();
  if (failing.signal.aborted) throw failing.signal.reason;
  if (!signal.aborted) requireKnownResult(recorder.counts(), queue.lastUnknown());
}

function concurrentLookups(queriesPerSecond: number): number {
  const wanted = Math.ceil(queriesPerSecond * lookupSeconds);
  return Math.min(concurrentLookupsMax, Math.max(concurrentLookupsMin, wanted));
}

/** Calls `work` again and again, each time `delayMs` after its end, until it fails or the returned function is called. */
function repeat(
  clock: Clock,
  delayMs: number,
  work: () => void | Promise<void>,
  onError: (error: unknown) => void,
): () => void {
  let timer: Timer;
  let isStopped = false;
  const run = async () => {
    try {
      await work();
    } catch (error) {
      return onError(error);
    }
    if (!isStopped) schedule();
  };
  const schedule = () => void (timer = clock.after(delayMs, () => void run()));
  schedule();
  return () => {
    isStopped = true;
    timer.cancel();
  };
}

function requireHonestResolver(checks: readonly ResolverCheck[], signal: AbortSignal): void {
  const problem = signal.aborted ? undefined : problemOfResolvers(checks);
  if (problem !== undefined) throw problem;
}

/** A scan that could resolve nothing must not look like one that found nothing. */
function requireKnownResult({ candidates, unknown }: ScanCounts, reason = "no definite response"): void {
  if (candidates === 0 || unknown < candidates) return;
  throw new ScanError(
    "nothing_resolved",
    `none of ${candidates} look-alikes could be resolved (${visible(reason)}); check the resolvers with phishwatch check`,
  );
}

/** Look-alikes that a scan looks up. Names whose denial is doubted come up again. */
function createNameQueue() {
  let names: string[] = [];
  let position = 0;
  let denied: string[] = [];
  let lastUnknown: string | undefined;
  return {
    /** Starts with these names. The queue keeps the array and appends to it. */
    fill: (given: string[]) => void (names = given),
    next: () => names[position++],
    isEmpty: () => position >= names.length,

    /** Notes the result of a lookup. */
    note(name: string, { exists, reason }: Existence) {
      if (exists === "no") denied.push(name);
      if (exists === "unknown") lastUnknown = reason;
    },

    /** Returns the names that were denied since the last call. */
    takeDenied() {
      const taken = denied;
      denied = [];
      return taken;
    },

    /** Enqueues names that are looked up again. */
    add(more: readonly string[]) {
      // A worker may have asked for a name after the last one.
      position = Math.min(position, names.length);
      for (const name of more) names.push(name);
    },

    /** Why the existence of a name is unknown: the latest reason. */
    lastUnknown: () => lastUnknown,
  };
}

/** Maximum number of look-alikes per protected domain, most likely first: 100 seconds at 200 queries per second. */
const perDomainMax = 20_000;
/** Maximum number of look-alikes per scan, limited by memory and by a duration of about 15 minutes. */
const perScanMax = 200_000;

/**
 * Returns the distinct look-alikes of the protected names, most likely first for each of them.
 * @param options.limit maximum number of look-alikes per protected name
 */
async function generateLookAlikes(
  protectedNames: readonly ProtectedName[],
  options: { minSimilarity: number; limit?: number | undefined; yielder: Yielder; signal: AbortSignal },
): Promise<string[]> {
  const { minSimilarity, limit = perDomainMax, yielder, signal } = options;
  // Loaded here, because the word lists would delay startup.
  const { permutationSteps } = await import("../../engines/detection/generate/permutations.ts");
  const share = Math.min(limit, perDomainMax, Math.ceil(perScanMax / protectedNames.length));
  const names = new Set<string>();
  for (const protectedName of protectedNames) {
    const steps = permutationSteps(protectedName, { minSimilarity, limit: share });
    for (const { name } of await runSteps(steps, { yielder, signal })) names.add(name);
  }
  return [...names];
}

/** Runs the steps to their end, a second or two of work, and yields to other work in between. */
async function runSteps(
  steps: Generator<void, Permutation[]>,
  { yielder, signal }: { yielder: Yielder; signal: AbortSignal },
): Promise<Permutation[]> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (signal.aborted) return [];
    if (yielder.due()) await yielder.pause();
  }
}
