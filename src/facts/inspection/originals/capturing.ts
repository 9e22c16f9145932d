import type { Needs } from "../../../platform/database/needs.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import { every, type Schedule } from "../../../platform/lib/schedule.ts";
import type { ScreenshotFolder } from "../../lookups/page/screenshot-files.ts";
import type { Brands } from "./brands.ts";
import type { Capture } from "./capture.ts";
import { isOwnHost } from "../discovery/own-names.ts";
import type { OriginalStore } from "./store.ts";
import { screenshotId } from "./version-steps.ts";

/** Captures originals when they are due. */
export type Capturing = ReturnType<typeof createCapturing>;

const everyMinute = "* * * * *";
/** Delay after a capture that ended without a result, such as by an internal error. */
const unfinishedDelayMs = 600_000;
const background = { relaxed: true, patient: true };

interface CapturingDependencies extends Needs<"clock" | "database" | "log"> {
  brands: Pick<Brands, "noticeOthers">;
  capture: Capture;
  files: Pick<ScreenshotFolder, "ids" | "remove">;
  /** Whether pages may be fetched. */
  isEnabled: () => boolean;
  store: OriginalStore;
}

export function createCapturing(dependencies: CapturingDependencies) {
  const { brands, capture, clock, database, isEnabled, log, store } = dependencies;
  let schedule: Schedule | undefined;
  let running: Promise<void> | undefined;
  let aborting = new AbortController();
  let current: number | undefined;
  let isSwept = false;

  async function captureDue(): Promise<void> {
    // One after the other: there is one browser, and nothing is urgent.
    for (;;) {
      const [original] = store.due(clock.now(), 1);
      if (original === undefined || aborting.signal.aborted || !isEnabled()) return;
      current = original.seq;
      try {
        // First, so that an error does not repeat itself at once.
        await database.write(
          () => store.update(original.seq, { dueAt: clock.now() + unfinishedDelayMs }),
          background,
        );
        await capture(original, aborting.signal);
      } finally {
        current = undefined;
      }
    }
  }

  async function work(): Promise<void> {
    if (!isEnabled()) return;
    try {
      await addHomes(dependencies);
      await retryAllowed(dependencies);
      await captureDue();
      if (!isSwept) await sweep(dependencies);
      isSwept = true;
    } catch (error) {
      if (!aborting.signal.aborted) logDropped(log, error, "originals.delayed");
    }
  }

  /** Captures everything that is due now, including pages that are discovered on the way. */
  const run = () => (running ??= work().finally(() => (running = undefined)));
  return {
    start() {
      // The sandbox's clock would run each minute of a month that it skips.
      if (!database.isShared) return;
      aborting = new AbortController();
      schedule = every({
        clock,
        pattern: everyMinute,
        run() {
          brands.noticeOthers();
          void run();
        },
      });
    },
    async stop() {
      schedule?.stop();
      aborting.abort();
      await running;
    },

    /** Adds the home pages of domains that have none on record. */
    prepare: () => addHomes(dependencies),
    run,

    /** Seq of the original that is being captured. */
    current: () => current,
  };
}

async function addHomes({ clock, database, store }: CapturingDependencies): Promise<void> {
  const missing = () =>
    store
      .domainsWithoutHome()
      .map(({ seq, domain }) => ({ seq, address: `https://${domain}/` }))
      // A person may have added it in another role.
      .filter(({ address, seq }) => !store.list(seq).some((page) => page.address === address));
  if (missing().length === 0) return;
  const now = clock.now();
  await database.write(() => {
    for (const { address, seq } of missing())
      store.insert({
        protectedDomainSeq: seq,
        address,
        role: "home",
        chosenBy: "discovery",
        enabled: true,
        createdAt: now,
        dueAt: now,
      });
  }, background);
}

/** A name that was allowed since the last capture makes the address usable. */
async function retryAllowed({ clock, database, store }: CapturingDependencies): Promise<void> {
  const allowed = store
    .leadingElsewhere()
    .filter((original) => isOwnHost(original.problem?.detail ?? "", original));
  if (allowed.length === 0) return;
  await database.write(
    () => allowed.forEach(({ seq }) => store.update(seq, { dueAt: clock.now(), problem: null })),
    background,
  );
}

/** Deletes screenshots without a version, for example after a domain was removed. */
async function sweep({ files, store }: CapturingDependencies): Promise<void> {
  const kept = new Set(store.screenshots().map(screenshotId));
  for (const id of await files.ids()) if (id.startsWith("original_") && !kept.has(id)) await files.remove(id);
}
