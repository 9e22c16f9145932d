import { dirname, join } from "node:path";
import type { OriginalLook } from "../../src/facts/inspection/originals/open-originals.ts";
import type { Browser } from "../../src/facts/lookups/browser/chromium.ts";
import { createScreenshotFiles } from "../../src/facts/lookups/page/screenshot-files.ts";
import { createEnrichment, type EnrichmentDependencies } from "../../src/facts/enrichment/enrichment.ts";
import type { EnabledLookups } from "../../src/facts/enrichment/plan.ts";
import { grayPixels } from "../../src/facts/lookups/page/gray-pixels.ts";
import { hashSide, perceptualHash } from "../../src/facts/lookups/page/perceptual-hash.ts";
import type { Existence } from "../../src/facts/lookups/dns/existence.ts";
import type { NetworkResult } from "../../src/facts/lookups/network/network-lookup.ts";
import type { RegistrationResult } from "../../src/facts/lookups/registration/registration-values.ts";
import type { Lookups } from "../../src/facts/lookups/lookups.ts";
import type { Page, PageResult } from "../../src/facts/lookups/page/page-lookup.ts";
import { fingerprintOf } from "../../src/facts/inspection/comparison/fingerprint.ts";
import { keptScreenshot } from "../../src/facts/inspection/open-inspection.ts";
import { createLog } from "../../src/platform/lib/log.ts";
import type { ScreenshotKind } from "../../src/platform/vocabulary/inspections.ts";
import type { ThreatSource } from "../../src/platform/vocabulary/threats.ts";
import { viewOf } from "../facts/inspection/comparison/support.ts";
import { openStores } from "./stores.ts";
import { until } from "./until.ts";

export const existing: Existence = {
  exists: "yes",
  addresses: ["192.0.2.7"],
  mailServers: [],
  nameServers: ["ns1.example.net"],
  wildcard: false,
};
export const missing: Existence = {
  exists: "no",
  addresses: [],
  mailServers: [],
  nameServers: [],
  wildcard: false,
};
export const unknown = (reason: string): Existence => ({ ...missing, exists: "unknown", reason });
export const plainPage: Page = {
  finalUrl: "https://examp1e-bank.com/",
  redirects: [],
  status: 200,
  title: "Welcome",
  asksForPassword: false,
  asksForCard: false,
  namesBrand: false,
  redirectsToProtected: false,
};
export const registered: RegistrationResult = {
  ok: true,
  registration: {
    source: "rdap",
    registrar: "Example Registrar",
    created_at: "2026-01-01T00:00:00Z",
  },
  raw: "{}",
};

export const hosted: NetworkResult = {
  ok: true,
  network: {
    first: "192.0.2.0",
    last: "192.0.2.255",
    organization: "Example Host LLC",
    abuseEmail: "abuse@example-host.example",
    source: "rdap",
    url: "https://rdap.registry.example/ip/192.0.2.7",
  },
};

/** Lookup results for every name; tests change them between checks. */
export interface World {
  existence: Existence | ((name: string) => Existence | Promise<Existence>);
  registration: RegistrationResult | ((name: string) => RegistrationResult | Promise<RegistrationResult>);
  page: PageResult;
  network: NetworkResult | ((address: string) => NetworkResult | Promise<NetworkResult>);
}

/** Opens an enrichment with a real database file, given lookup results and a manual clock. */
export function openEnrichment({
  enabledLookups = { names: true, registration: true },
  browser,
  reactivate = true,
}: { enabledLookups?: EnabledLookups; browser?: Browser; reactivate?: boolean } = {}) {
  const stores = openStores({ reactivate });
  const { clock, database, threats } = stores;
  const world: World = {
    existence: existing,
    registration: registered,
    page: { ok: true, page: plainPage },
    network: hosted,
  };
  const asked: string[] = [];
  const networksAsked: string[] = [];
  const lookups: Lookups = {
    async existence(name) {
      asked.push(`existence ${name}`);
      return typeof world.existence === "function" ? world.existence(name) : world.existence;
    },
    async registration(name) {
      asked.push(`registration ${name}`);
      return typeof world.registration === "function" ? world.registration(name) : world.registration;
    },
    async network(address) {
      networksAsked.push(address);
      return typeof world.network === "function" ? world.network(address) : world.network;
    },
    async page({ address }) {
      asked.push(`page ${address}`);
      return world.page;
    },
  };
  const logged: string[] = [];
  const log = createLog({ level: "info", format: "json", clock, write: (line) => void logged.push(line) });
  const screenshots: { keep: ScreenshotKind } = { keep: "full" };
  const screenshotFiles = createScreenshotFiles(join(dirname(stores.path), "screenshots"));
  const open = () =>
    createEnrichment({
      enabledLookups,
      inspector: browser && inspectorOf(browser, { screenshots, world }),
      clock,
      database,
      log,
      lookups,
      originals: originalsOf(browser),
      screenshotFiles,
      screenshots,
      detection: { reactivate },
      threats,
    });
  let enrichment = open();

  /** Advances the clock and waits for the jobs that are due; takes up to three more seconds of the clock. */
  async function pass(ms: number): Promise<void> {
    clock.jump(ms);
    // New threats are admitted over turns of the event loop and started over seconds of the clock.
    for (let second = 0; second < 3; second++) {
      clock.advance(1_000);
      let turns = 0;
      await until(() => {
        // Jobs that start later within the second need the clock to advance.
        if (++turns % 10 === 0) clock.advance(20);
        return enrichment.running() === 0;
      }, "the jobs end");
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  return {
    ...stores,
    world,
    /** Returns the lookups since the last call. */
    asked: () => asked.splice(0),
    /** Returns the addresses whose network was looked up since the last call. */
    networksAsked: () => networksAsked.splice(0),
    logged,
    screenshotFiles,
    screenshots,
    enrichment: () => enrichment,
    pass,
    /** Opens it again, as another process would after this one was killed. */
    async restart() {
      await enrichment.stop();
      enrichment = open();
      enrichment.start();
    },
    sight(domain: string, { similarity = 0.9, source = "feed" as ThreatSource } = {}): string {
      const match = {
        protectedDomain: "example-bank.com",
        type: "typosquatting" as const,
        similarity,
        reasons: [],
      };
      return threats.record([{ domain, match, source, seenAt: clock.now() }])[0]!.threatId;
    },
    async dispose() {
      await enrichment.stop();
      stores.dispose();
    },
  };
}

export type OpenEnrichment = ReturnType<typeof openEnrichment>;

/** Returns the page of the world with the browser's screenshot. */
function inspectorOf(
  browser: Browser,
  { screenshots, world }: { screenshots: { keep: ScreenshotKind }; world: World },
): NonNullable<EnrichmentDependencies["inspector"]> {
  return {
    async inspect({ address }, signal) {
      const taken = await browser.takeScreenshot(address, signal);
      if (!world.page.ok) return world.page;
      const { page } = world.page;
      const hash = taken.ok ? perceptualHash(await grayPixels(taken.webp, hashSide)) : undefined;
      const fingerprint = { ...fingerprintOf(viewOf()), ...(hash === undefined ? {} : { screenshot: hash }) };
      const result = { ok: true as const, page, fingerprint, verdicts: [] };
      if (!taken.ok) return { ...result, noScreenshot: taken.reason };
      const screenshot = await keptScreenshot(taken.webp, screenshots.keep);
      return { ...result, shownAt: taken.url, ...(screenshot === undefined ? {} : { screenshot }) };
    },
  };
}

/** Originals that are captured with the browser at the first comparison. */
function originalsOf(browser: Browser | undefined): EnrichmentDependencies["originals"] {
  let webp: Uint8Array<ArrayBuffer> | undefined;
  let looks: OriginalLook[] = [];
  return {
    async looksOf(domain, signal) {
      const address = `https://${domain}/`;
      const taken = await browser!.takeScreenshot(address, signal ?? new AbortController().signal);
      if (!taken.ok) throw new Error(taken.reason);
      webp = new Uint8Array(taken.webp);
      looks = [{ address, hash: perceptualHash(await grayPixels(webp, hashSide))! }];
      return looks;
    },
    capturedLooksOf: () => looks,
    screenshotAt: async () => (webp === undefined ? undefined : { webp, at: undefined }),
  };
}
