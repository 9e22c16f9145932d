import type { Browser } from "./browser/chromium.ts";
import type { Lookups } from "./lookups.ts";

const measuredLookups = ["existence", "page", "registration", "network", "screenshot"] as const;
type MeasuredLookup = (typeof measuredLookups)[number];

/** Upper limits of the buckets of durations, in seconds; a last bucket is infinite. */
export const lookupSeconds = [0.1, 1, 10];
/** Maximum number of top-level domains that are counted apart. */
const tldsMax = 50;
const otherTlds = "other";

/** Counts lookups and their durations since the start of the process. */
export type LookupMeter = ReturnType<typeof createLookupMeter>;

/** @param monotonicMs returns the present time, for durations */
export function createLookupMeter(monotonicMs: () => number) {
  const meters = new Map(
    measuredLookups.map((lookup) => [
      lookup,
      { ok: 0, failed: 0, counts: Array.from({ length: lookupSeconds.length + 1 }, () => 0), sum: 0 },
    ]),
  );
  const failuresByTld = new Map<string, number>();

  const measured =
    <Call extends unknown[], Result>(
      lookup: MeasuredLookup,
      run: (...call: Call) => Promise<Result>,
      isGood: (result: Result, ...call: Call) => boolean,
    ) =>
    async (...call: Call): Promise<Result> => {
      const startedMs = monotonicMs();
      let ok = false;
      try {
        const result = await run(...call);
        ok = isGood(result, ...call);
        return result;
      } finally {
        const seconds = (monotonicMs() - startedMs) / 1_000;
        const meter = meters.get(lookup)!;
        meter[ok ? "ok" : "failed"] += 1;
        meter.sum += seconds;
        const bucket = lookupSeconds.findIndex((limit) => seconds <= limit);
        meter.counts[bucket === -1 ? lookupSeconds.length : bucket]! += 1;
      }
    };

  function noteRegistrationFailure(name: string): void {
    const own = name.slice(name.lastIndexOf(".") + 1);
    const tld = failuresByTld.has(own) || failuresByTld.size < tldsMax ? own : otherTlds;
    failuresByTld.set(tld, (failuresByTld.get(tld) ?? 0) + 1);
  }

  return {
    measure: ({ existence, network, page, registration }: Lookups): Lookups => ({
      existence: measured("existence", existence, ({ exists }) => exists !== "unknown"),
      network: measured("network", network, isOk),
      page: measured("page", page, isOk),
      registration: measured("registration", registration, (result, name) => {
        // That a name is not registered is a result.
        const ok = result.ok || result.unregistered === true;
        if (!ok) noteRegistrationFailure(name);
        return ok;
      }),
    }),
    measureBrowser: (browser: Browser): Browser => ({
      ...browser,
      takeScreenshot: measured("screenshot", browser.takeScreenshot, isOk),
    }),
    totals: () =>
      [...meters].map(([lookup, { ok, failed, counts, sum }]) => ({
        lookup,
        ok,
        failed,
        /** By `lookupSeconds`, not cumulative. */
        durations: { counts: [...counts], sum },
      })),
    registrationFailures: () => [...failuresByTld].map(([tld, total]) => ({ tld, total })),
  };
}

function isOk({ ok }: { ok: boolean }): boolean {
  return ok;
}
