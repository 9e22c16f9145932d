import { measureSignals, type MeasuredSignal } from "../../src/facts/inspection/comparison/assess.ts";
import { combinedRules, levelsOf } from "../../src/facts/inspection/comparison/combined-rules.ts";
import { signalRules } from "../../src/facts/inspection/comparison/signal-table.ts";
import { createPageInspector } from "../../src/facts/inspection/inspector/page-inspector.ts";
import type { SeenPage, Brand, OriginalPage } from "../../src/facts/inspection/model/verdict.ts";
import { isAtOrBelow } from "../../src/platform/lib/host-names.ts";
import { systemClock } from "../../src/platform/lib/clock.ts";
import { createPageReader } from "../../src/facts/lookups/page/page-reader.ts";
import { createTurns } from "../../src/platform/network/turns.ts";
import { serveSites } from "../../test/facts/inspection/sites/site-server.ts";
import type { ProtectedBrand, Site } from "../../test/facts/inspection/sites/sites.ts";
import { randomFrom } from "../../test/support/random.ts";

/** A page compared with a brand. */
export interface Pair {
  page: string;
  className: string;
  isCopy: boolean;
  /** Made from another pair by leaving out signals. */
  isVariant: boolean;
  weight: number;
  strengths: ReadonlyMap<string, number>;
}

/** Brands with which a harmless page is compared: those that it has most in common with. */
const brandsPerPageMax = 4;
/** Share of the signals that a variant of a pair leaves out, and how much it counts. */
const leftOutPercent = 25;
const variantWeight = 0.5;

/** Reads sites over HTTP on loopback, as inspections do, and compares each with the brands. */
export async function readPairs({
  sites,
  brands,
}: {
  sites: readonly Site[];
  brands: readonly ProtectedBrand[];
}) {
  const server = serveSites(sites);
  const reader = createPageReader({
    clock: systemClock,
    rules: { allowPrivateNetworks: true },
    resolveHost: server.resolveHost,
    ports: server.ports,
  });
  const inspector = createPageInspector({
    clock: systemClock,
    reader,
    render: undefined,
    turns: createTurns(),
  });
  const read: Read = async (requested, compared) => {
    inspector.setBrands(compared);
    // The certificate of the test sites says nothing, and a handshake takes longer than a page.
    const address = requested.replace(/^https:/, "http:");
    const result = await inspector.inspect({ address, browser: "never" }, new AbortController().signal);
    return result.ok ? { fingerprint: result.fingerprint, requested } : undefined;
  };
  try {
    return await compareAll(sites, brands, read);
  } finally {
    await inspector.close();
    await server.stop();
  }
}

type Read = (address: string, brands: readonly Brand[]) => Promise<SeenPage | undefined>;

async function compareAll(sites: readonly Site[], protectedBrands: readonly ProtectedBrand[], read: Read) {
  const brands: Brand[] = [];
  for (const { pages, ...brand } of protectedBrands)
    brands.push({ ...brand, originals: await readOriginals(pages, read), logos: [] });
  const bare = brands.map((brand): Brand => ({ ...brand, originals: [] }));
  const random = randomFrom(1);
  const withOriginals: Pair[] = [];
  const withoutOriginals: Pair[] = [];
  let pagesRead = 0;
  for (const site of sites.filter(({ kind, needsBrowser }) => kind !== "original" && !needsBrowser)) {
    const page = await read(site.start, brands);
    if (page === undefined) continue;
    pagesRead += 1;
    withOriginals.push(...pairsOf(site, page, brands, random));
    withoutOriginals.push(...pairsOf(site, page, bare, random));
  }
  return { withOriginals, withoutOriginals, pages: pagesRead };
}

async function readOriginals(pages: readonly string[], read: Read): Promise<OriginalPage[]> {
  const originals: OriginalPage[] = [];
  for (const address of pages) {
    const page = await read(address, []);
    if (page !== undefined) originals.push({ address, fingerprint: page.fingerprint });
  }
  return originals;
}

function pairsOf(
  site: Site,
  page: SeenPage,
  brands: readonly Brand[],
  random: (below: number) => number,
): Pair[] {
  const { hostname } = new URL(page.fingerprint.address);
  const compared = brands
    // Own pages and those of partners are never compared.
    .filter(
      ({ protectedDomain, allow }) =>
        ![protectedDomain, ...allow].some((name) => isAtOrBelow(hostname, name)),
    )
    .map((brand) => ({ brand, signals: measureSignals({ page, brand }) }));
  const copied = compared.filter(
    ({ brand }) => site.kind === "copy" && brand.protectedDomain === site.protectedDomain,
  );
  const others = compared
    .filter((one) => !copied.includes(one))
    .map((one) => ({ ...one, related: relatedness(one.signals) }))
    .toSorted((one, other) => other.related - one.related)
    .slice(0, brandsPerPageMax);
  return [
    ...copied.flatMap(({ signals }) => withVariant(site, signals, { isCopy: true, random })),
    ...others.flatMap(({ signals }) => withVariant(site, signals, { isCopy: false, random })),
  ];
}

function relatedness(signals: readonly MeasuredSignal[]): number {
  const { identity, copy } = levelsOf(signals);
  return identity + copy;
}

/**
 * A variant lacks some of the signals that speak for what the page is, so that the model does not depend on all of them:
 * other kits leave out other parts, and other harmless sites say less about themselves.
 */
function withVariant(
  { class: className, host, start, kind }: Site,
  signals: readonly MeasuredSignal[],
  { isCopy, random }: { isCopy: boolean; random: (below: number) => number },
): Pair[] {
  const single = signals.filter(({ code }) => signalRules.some((rule) => rule.code === code));
  const isKept = ({ code }: MeasuredSignal) => {
    const isOther = signalRules.find((rule) => rule.code === code)!.group === "other";
    return isOther === isCopy || random(100) >= leftOutPercent;
  };
  const pair = (kept: readonly MeasuredSignal[], isVariant: boolean): Pair => {
    const levels = levelsOf(kept);
    return {
      page: `${host} ${new URL(start).pathname}`,
      className: kind === "copy" && !isCopy ? "copy of another brand" : className,
      isCopy,
      isVariant,
      weight: isVariant ? variantWeight : 1,
      strengths: new Map([
        ...kept.map(({ code, strength }) => [code, strength] as const),
        ...combinedRules.map((rule) => [rule.code, rule.strength(levels)] as const),
      ]),
    };
  };
  return [pair(single, false), pair(single.filter(isKept), true)];
}
