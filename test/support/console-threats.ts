import type { App } from "../../src/app/app.ts";
import { normalizeName } from "../../src/engines/detection/names/name.ts";
import { encode as encodePunycode } from "node:punycode";
import type { SeverityFacts } from "../../src/threats/threats/severity/severity.ts";
import type { ThreatType } from "../../src/platform/vocabulary/threats.ts";

export interface SampleThreat {
  /** U-label or A-label form. */
  domain: string;
  protectedDomain?: string;
  type?: ThreatType;
  similarity?: number;
  /** How long before now it was seen. */
  agoMs?: number;
  evidence?: Partial<SeverityFacts>;
}

export const secretsPage = {
  asksForPassword: true,
  asksForCard: false,
  namesBrand: true,
  redirectsToProtected: false,
} as const;

/** Records threats as a feed would, with facts about them, and returns their ids. */
export function addThreats({ threats }: Pick<App, "threats">, now: number, samples: readonly SampleThreat[]) {
  return samples.map(
    ({
      domain,
      protectedDomain = "example-bank.com",
      similarity = 0.9,
      type = similarity >= 0.95 ? "homograph" : "combosquatting",
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
        const facts = {
          ipAddress: "192.0.2.1",
          registrar: "Registrar, Inc.",
          nameServer: "ns1.example.net",
          whois: {},
        };
        threats.updateFacts(id, { ...facts, evidence: { exists: "yes", ...evidence } }, []);
      }
      return id;
    },
  );
}

const dayMs = 24 * 3_600_000;

/** Adds threats of several weeks for `example-bank.com`: every severity and type, decided ones, and hostile names. */
export function addSampleThreats(app: Pick<App, "threats">, now: number): string[] {
  const words = ["login", "secure", "online", "app", "help", "verify", "my", "card", "portal", "service"];
  const suffixes = ["com", "net", "org", "info", "shop", "top"];
  const usual = Array.from({ length: 90 }, (_, index): SampleThreat => {
    const word = words[index % words.length]!;
    return {
      domain: `example-bank-${word}${index % 7}.${suffixes[index % suffixes.length]}`,
      type: index % 4 === 0 ? "typosquatting" : "combosquatting",
      similarity: 0.76 + ((index * 37) % 23) / 100,
      agoMs: (((index * 7) % 29) + 0.1) * dayMs,
      ...(index % 5 === 0 ? { evidence: { mail: true } } : {}),
      ...(index % 9 === 0 ? { evidence: { parked: "a parking service" } } : {}),
    };
  });
  const striking: SampleThreat[] = [
    { domain: "exаmple-bank.com", type: "homograph", similarity: 0.99, agoMs: 2 * 3_600_000 },
    {
      domain: "exampIe-bank.com",
      type: "typosquatting",
      similarity: 0.96,
      agoMs: 9 * 60_000,
      evidence: { page: secretsPage, mail: true, registeredDays: 2 },
    },
    { domain: "exmple-bank.com", type: "typosquatting", similarity: 0.91, agoMs: 3 * dayMs },
    { domain: "example-bank.com.account-check.ru", type: "levelsquatting", similarity: 0.97, agoMs: dayMs },
    { domain: "examplebank.net", type: "tld_squatting", similarity: 0.93, agoMs: 5 * dayMs },
    // Hebrew letters, an A-label that cannot be displayed, and a name of the maximum length.
    {
      domain: `xn--${encodePunycode("example-שלום-bank")}.com`,
      type: "combosquatting",
      similarity: 0.95,
      agoMs: 3_600_000,
    },
    { domain: "xn--example-bank-8e2m.com", type: "homograph", similarity: 0.97, agoMs: 4 * 3_600_000 },
    { domain: `${`${"a".repeat(61)}.`.repeat(3)}example-bank-${"b".repeat(40)}.com`, similarity: 0.95 },
  ];
  const ids = addThreats(app, now, [...striking, ...usual]);
  const by = { channel: "console", name: "admin", address: "192.0.2.7" } as const;
  app.threats.changeStatus(ids.slice(20, 32), "resolved", { by });
  app.threats.changeStatus(ids.slice(40, 46), "false_positive", { by });
  return ids;
}
