import type { App } from "../../src/app.ts";
import { normalizeName } from "../../src/detection/name.ts";
import type { SeverityFacts } from "../../src/threats/severity.ts";
import type { ThreatType } from "../../src/threats/values.ts";

export interface SampleThreat {
  /** In any form. */
  domain: string;
  protectedDomain?: string;
  type?: ThreatType;
  similarity?: number;
  /** Before now. */
  agoMs?: number;
  evidence?: Partial<SeverityFacts>;
}

export const secretsPage = {
  asksForPassword: true,
  asksForCard: false,
  namesBrand: true,
  redirectsToOwner: false,
} as const;

/** Records threats as a feed would, with what a look at them showed; answers their ids. */
export function addThreats({ threats }: Pick<App, "threats">, now: number, samples: readonly SampleThreat[]) {
  return samples.map(
    ({
      domain,
      protectedDomain = "example-bank.com",
      type = "combosquatting",
      similarity = 0.9,
      agoMs = 0,
      evidence,
    }) => {
      const name = normalizeName(domain);
      if ("error" in name) throw new Error(`${domain}: ${name.error}`);
      const [recorded] = threats.record([
        {
          domain: name.name,
          match: { protectedDomain, type, similarity, reasons: [] },
          source: "feed",
          seenAt: now - agoMs,
        },
      ]);
      const id = recorded!.threatId;
      if (evidence !== undefined) {
        const facts = { ipAddress: "192.0.2.1", registrar: "Registrar, Inc.", whois: {} };
        threats.updateFacts(id, { ...facts, evidence: { exists: "yes", ...evidence } }, []);
      }
      return id;
    },
  );
}
