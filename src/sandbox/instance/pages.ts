import type { ReplacedInspection } from "../../facts/inspection/open-inspection.ts";
import type { InspectionResult } from "../../facts/inspection/model/inspector.ts";
import type { PageFingerprint } from "../../facts/inspection/model/fingerprint.ts";
import type { Existence } from "../../facts/lookups/dns/existence.ts";

/** Page that an inspection finds at a host. */
export interface SandboxPage {
  host: string;
  protectedDomain: string;
  imitates: boolean;
  title: string;
}

/** Pages without a network, which the control plane sets. */
export interface SandboxPages extends ReplacedInspection {
  set(page: SandboxPage): void;
  save(): readonly SandboxPage[];
}

const scores = { imitation: 0.97, harmless: 0.02 };
const pageServer = "192.0.2.53";

export function createSandboxPages(pages: readonly SandboxPage[]): SandboxPages {
  const byHost = new Map(pages.map((page) => [page.host, page]));
  return {
    set: (page) => void byHost.set(page.host, page),
    save: () => [...byHost.values()],
    lookUpExistence: async (name) => existenceOf(byHost.has(name)),
    inspector: {
      async inspect({ address: inspected }) {
        const url = inspected.includes("://") ? inspected : `https://${inspected}/`;
        const page = byHost.get(new URL(url).hostname);
        return page === undefined
          ? { ok: false, reason: "the sandbox has no page of this name" }
          : resultOf(page, url);
      },
      close: async () => {},
    },
  };
}

function existenceOf(exists: boolean): Existence {
  return {
    exists: exists ? "yes" : "no",
    addresses: exists ? [pageServer] : [],
    mailServers: [],
    nameServers: exists ? ["ns1.host.example"] : [],
    wildcard: false,
  };
}

function resultOf({ imitates, protectedDomain, title }: SandboxPage, url: string): InspectionResult {
  const original = `https://${protectedDomain}/`;
  return {
    ok: true,
    page: {
      firstUrl: url,
      finalUrl: url,
      redirects: [],
      status: 200,
      title,
      asksForPassword: imitates,
      asksForCard: false,
      namesBrand: imitates,
      redirectsToProtected: false,
    },
    fingerprint: fingerprintOf(url, title),
    verdicts: [
      {
        protectedDomain,
        score: imitates ? scores.imitation : scores.harmless,
        imitates,
        original: imitates ? original : null,
        signals: imitates
          ? [
              { code: "same_text", strength: 0.92, points: 2.6, params: { percent: 92, original } },
              { code: "asks_password", strength: 1, points: 1.1, params: {} },
            ]
          : [],
      },
    ],
  };
}

function fingerprintOf(address: string, title: string): PageFingerprint {
  return {
    version: 0,
    address,
    redirects: [],
    from: "markup",
    title,
    headings: [],
    words: [],
    hiddenWords: [],
    counts: { elements: 0, scripts: 0, frames: 0, pictures: 0 },
    links: {},
    deadLinks: 0,
    resources: [],
    forms: [],
    pictures: [],
    scriptHashes: [],
    scriptAddresses: [],
  };
}
