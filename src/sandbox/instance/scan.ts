import type { Scan } from "../../scans/tables.ts";
import type { ScanTrigger } from "../../vocabulary/scans.ts";
import { threats } from "../../threats/tables.ts";
import type { SandboxDns } from "./dns.ts";
import type { App } from "../../app.ts";

/** The most likely look-alikes of each domain are enough here, and take a tenth of the time of all. */
const lookedUpMin = 300;

/** The real scan, over a name system in which active threats exist, others do not, and `finds` new ones do. */
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
  const known = new Set<string>();
  const gone = new Set<string>();
  for (const { domain, status } of namesOnRecord(app)) (status === "active" ? known : gone).add(domain);
  dns.set({ known, gone, finds, reachable });
  return app.scans.run({
    trigger,
    limit: Math.max(lookedUpMin, known.size + gone.size + finds),
    ...(domains === undefined ? {} : { domains }),
  });
}

export function namesOnRecord({ database }: App) {
  return database.query
    .select({ id: threats.id, domain: threats.domain, status: threats.status })
    .from(threats)
    .all();
}
