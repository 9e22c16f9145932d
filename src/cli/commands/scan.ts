import type { App } from "../../app/app.ts";
import { tryLock } from "../../platform/database/lock.ts";
import { grouped } from "../../platform/lib/wording.ts";
import { createProgress, type Progress } from "../terminal/progress.ts";
import { jsonFields } from "../../platform/lib/key-names.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import type { Found } from "../../intake/scans/scan-recorder.ts";
import type { Scan, ScanCounts } from "../../intake/scans/tables.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { withAppliance } from "../appliance/with-appliance.ts";
import { command, FailedError } from "../terminal/command.ts";
import { configFlag, jsonFlag, number } from "../terminal/flags.ts";
import { printJson } from "../terminal/table.ts";
import type { Output } from "../terminal/terminal.ts";

const pollMs = 100;

/**
 * Looks up the facts of threats that were just found, screenshots included, unless a running server does, so that a
 * scan by hand also ends with assessed threats. If `signal` interrupts it, the next server enriches the rest.
 *
 * @returns number of enriched threats, or undefined if a server does it or lookups are off
 */
async function enrichFound(
  { database, enrichment }: Pick<App, "database" | "enrichment">,
  ids: readonly string[],
  { progress, signal }: { progress: Progress; signal: AbortSignal },
): Promise<number | undefined> {
  const lock = ids.length === 0 ? undefined : tryLock(database.path, "lock");
  if (lock === undefined) return undefined;
  // Only a test: a server may start in the meantime, because enriching a threat twice does no harm.
  lock.release();
  if (!ids.every((id) => enrichment.request(id))) return undefined;
  let left: readonly string[] = ids;
  enrichment.start();
  try {
    while (left.length > 0 && !signal.aborted) {
      await Bun.sleep(pollMs);
      left = left.filter((id) => !enrichment.isSettled(id));
      const done = ids.length - left.length;
      progress.show(() => `enriching threats: ${grouped(done)} of ${grouped(ids.length)}`);
    }
  } finally {
    await enrichment.stop();
  }
  return ids.length - left.length;
}

const barWidth = 24;

export const scanCommand = command({
  name: "scan",
  arguments: "[domain...]",
  flags: {
    limit: number("--limit <count>", { minimum: 1, maximum: 20_000, whole: true }),
    json: jsonFlag,
    config: configFlag,
  },
  async run({ args, options: { limit, json, config }, terminal }) {
    const { out, err } = terminal;
    const signal = terminal.interruption();
    await withAppliance({ terminal, options: { config } }, async (appliance) => {
      const elapsedMs = () => performance.now();
      const startedMs = elapsedMs();
      const progress = createProgress(err, elapsedMs);
      const found: string[] = [];
      let scan: Scan;
      try {
        scan = await appliance.scans.run({
          trigger: "cli",
          by: actorOfShell(terminal.env),
          domains: args,
          limit,
          signal,
          onProgress: (counts) => progress.show((ms) => progressText(counts, ms)),
          onFound(one) {
            progress.end();
            found.push(one.threatId);
            printFound(out, one, json);
          },
        });
      } finally {
        progress.end();
      }
      out.flush();
      err.write(`${summaryText(scan, elapsedMs() - startedMs)}\n`);
      if (scan.status === "failed") throw new FailedError(`the scan failed: ${scan.error ?? ""}`);
      if (scan.status === "cancelled") throw new FailedError("interrupted; results so far are recorded");
      const enriched = await enrichFound(appliance, found, { progress, signal });
      progress.end();
      if (enriched !== undefined)
        err.write(`enriched ${grouped(enriched)} of ${grouped(found.length)} threats\n`);
    });
  },
});

function printFound(out: Output, { threatId, existence, ...threat }: Found, json: boolean): void {
  const { domain, protectedDomain, type, similarity, outcome } = threat;
  const { addresses, mailServers, nameServers, parked, sinkholed } = existence;
  if (json) {
    const fields = { threatId, domain, protectedDomain, type, similarity, outcome };
    printJson(out, { ...jsonFields({ ...fields, addresses, mailServers, nameServers }), parked, sinkholed });
  } else {
    const place = [
      ...addresses.slice(0, 1),
      ...mailServers.slice(0, 1).map((server) => `mail ${server}`),
      ...nameServers.slice(0, 1).map((server) => `name server ${server}`),
      ...(parked === undefined ? [] : [`parked ${parked}`]),
      ...(sinkholed === undefined ? [] : [`sinkholed ${sinkholed}`]),
    ].join(", ");
    out.write(`${[domain, protectedDomain, type, similarity, outcome, visible(place, 500)].join("\t")}\n`);
  }
  // A scan takes minutes, so each result is shown immediately.
  out.flush();
}

/** `[#####·····] 41 % 2,050 of 5,000, 198/s, 15 s left: 12 exist, 3 unknown, 5 new` */
export function progressText(counts: Readonly<ScanCounts>, ms: number): string {
  const { planned, candidates, resolving, unknown, threatsCreated } = counts;
  if (planned === 0) return "preparing";
  const part = candidates / planned;
  const rate = (candidates / Math.max(ms, 1)) * 1000;
  const bar = "#".repeat(Math.round(part * barWidth)).padEnd(barWidth, "·");
  const left = rate > 0 ? `, ${leftText((planned - candidates) / rate)} left` : "";
  return (
    `[${bar}] ${Math.floor(part * 100)} % ${grouped(candidates)} of ${grouped(planned)}, ${grouped(rate)}/s${left}: ` +
    `${grouped(resolving)} exist, ${grouped(unknown)} unknown, ${grouped(threatsCreated)} new`
  );
}

function leftText(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

function summaryText(scan: Scan, ms: number): string {
  const { protectedDomains, candidates, resolving, unknown, threatsFound, threatsCreated } = scan;
  const [only] = protectedDomains;
  const what = protectedDomains.length === 1 ? only! : `${protectedDomains.length} domains`;
  const rate = grouped((candidates / Math.max(ms, 1)) * 1000);
  return (
    `${what}: ${grouped(candidates)} look-alikes resolved, ${grouped(resolving)} exist, ${grouped(unknown)} unknown; ` +
    `${grouped(threatsFound)} threats, ${grouped(threatsCreated)} of them new (${(ms / 1000).toFixed(1)} s, ${rate}/s)`
  );
}
