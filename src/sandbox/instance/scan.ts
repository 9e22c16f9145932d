import { system } from "../../access/audit/actor.ts";
import type { App } from "../../app/app.ts";
import type { KnownExistence } from "../../facts/enrichment/facts/facts.ts";
import type { Scan } from "../../intake/scans/tables.ts";
import { threats } from "../../threats/threats/store/tables.ts";
import type { ScanTrigger } from "../../platform/vocabulary/scans.ts";
import type { SandboxDns } from "./dns.ts";

/** Minimum number of candidates per scan: the most likely ones suffice, in a tenth of the time of all. */
const candidatesMin = 300;

/** Runs the production scan over a DNS in which active threats exist, other threats do not, and `finds` new names do. */
export async function runScan(
  app: App,
  dns: SandboxDns,
  {
    trigger,
    domains,
    finds,
    reachable,
  }: { trigger: ScanTrigger; domains?: string[] | undefined; finds: number; reachable: boolean },
): Promise<Scan> {
  const { known, gone } = showNames(app, dns, { finds, reachable });
  return app.scans.run({
    trigger,
    by: system,
    limit: Math.max(candidatesMin, known.size + gone.size + finds),
    domains,
  });
}

/** Lets the DNS contain the names of active threats, and `finds` new ones. */
export function showNames(
  app: App,
  dns: SandboxDns,
  { finds, reachable }: { finds: number; reachable: boolean },
): { known: ReadonlyMap<string, KnownExistence | undefined>; gone: ReadonlySet<string> } {
  const known = new Map<string, KnownExistence | undefined>();
  const gone = new Set<string>();
  for (const { id, domain, status } of namesOnRecord(app)) {
    if (status === "active") known.set(domain, existing(app.enrichment.factsOf(id)?.facts.existence));
    else gone.add(domain);
  }
  dns.set({ known, gone, finds, reachable });
  return { known, gone };
}

function existing(existence: KnownExistence | undefined): KnownExistence | undefined {
  return existence?.exists === "yes" ? existence : undefined;
}

export function namesOnRecord({ database }: App) {
  return database.query
    .select({ id: threats.id, domain: threats.domain, status: threats.status })
    .from(threats)
    .all();
}
