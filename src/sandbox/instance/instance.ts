import { type App, openApp } from "../../app.ts";
import type { Config } from "../../config/config.ts";
import type { Instant } from "../../lib/clock.ts";
import { logDropped, type Log } from "../../lib/log.ts";
import { every } from "../../lib/schedule.ts";
import { createSandboxClock, type SandboxClock } from "./clock.ts";
import { createSandboxDns, type SandboxDns } from "./dns.ts";
import { createRandom } from "../world/random.ts";
import { runScan } from "./scan.ts";
import { seedDatabase } from "../world/seed.ts";

/** The state of an instance, to be gone back to. */
export interface InstanceState {
  image: Uint8Array;
  now: Instant;
  flows: boolean;
  random: number;
}

/** One life of the appliance; a reset begins another, and nothing of this one is left. */
export interface Instance {
  readonly app: App;
  readonly clock: SandboxClock;
  readonly dns: SandboxDns;
  /** Answers a request with this instance, which does not end before. */
  use(answer: () => Promise<Response>): Promise<Response>;
  save(): InstanceState;
  /** Time and deliveries stand still from now on; requests are answered still. */
  quieten(): Promise<void>;
  /** Closes the database, when the requests under way are answered. */
  end(): Promise<void>;
}

export interface InstanceOptions {
  config: Config;
  /** When scans run by themselves; null: never. */
  scanSchedule: string | null;
  log: Log;
  monotonicMs: () => number;
  seed: number;
  start: Instant;
  empty: boolean;
  /** The database as it is at the start, made before; absent: it is made. */
  pristine?: Uint8Array | undefined;
}

/** Deliveries under way when an instance ends have so long to arrive. */
const drainMs = 500;
/** Requests under way when it ends have so long to be answered. */
const answersMs = 5_000;

export async function openInstance(
  { config, scanSchedule, log, monotonicMs, seed, start, empty, pristine }: InstanceOptions,
  from?: InstanceState,
): Promise<Instance> {
  const random = createRandom(~seed);
  const dns = createSandboxDns();
  const scanning = new Set<Promise<unknown>>();
  const ending = Promise.withResolvers<void>();

  async function settle(): Promise<void> {
    // Twice, for what one thing ends another may begin.
    for (let round = 0; round < 2; round += 1) {
      await new Promise((next) => setImmediate(next));
      if (scanning.size > 0) await Promise.race([Promise.all(scanning), ending.promise]);
      await opened.traps.flush();
      await opened.webhooks.dispatcher.settled();
    }
  }

  const clock = createSandboxClock({ start: from?.now ?? start, monotonicMs, settle });
  let underWay = 0;
  let idle: (() => void) | undefined;
  const image = from?.image ?? pristine;
  const opened = openApp({
    config,
    clock,
    fillRandom: random.fillRandom,
    log,
    dns,
    ...(image === undefined ? {} : { image }),
  });
  if (image === undefined) seedDatabase(opened.database, { seed, start, empty });
  // Whatever was made up to here, and whether it was made now or long ago.
  random.goOnFrom(from?.random ?? ~seed);
  opened.start();
  if (from?.flows === true) clock.run();
  if (scanSchedule !== null) {
    every({
      clock,
      pattern: scanSchedule,
      async run() {
        const scan = runScan(opened, dns, { trigger: "schedule", finds: 0, reachable: true }).catch(
          (error: unknown) => logDropped(log, error, "the scheduled scan did not begin"),
        );
        scanning.add(scan);
        await scan;
        scanning.delete(scan);
      },
    });
  }

  return {
    app: opened,
    clock,
    dns,
    save: () => ({
      image: opened.database.sqlite.serialize(),
      now: clock.now(),
      flows: clock.flows(),
      random: random.state(),
    }),
    async use(answer) {
      underWay += 1;
      try {
        return await answer();
      } finally {
        underWay -= 1;
        if (underWay === 0) idle?.();
      }
    },
    async quieten() {
      ending.resolve();
      clock.close();
      await opened.webhooks.dispatcher.stop(drainMs);
    },
    async end() {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (underWay > 0) {
        idle = resolve;
        const late = setTimeout(resolve, answersMs);
        await promise;
        clearTimeout(late);
      }
      await opened.stop();
      opened.close();
    },
  };
}
