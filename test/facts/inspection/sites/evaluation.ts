import {
  createPageInspector,
  type PageInspector,
} from "../../../../src/facts/inspection/inspector/page-inspector.ts";
import type { Render } from "../../../../src/facts/inspection/inspector/render.ts";
import type { Verdict, Brand, OriginalPage } from "../../../../src/facts/inspection/model/verdict.ts";
import { systemClock } from "../../../../src/platform/lib/clock.ts";
import { createPageReader } from "../../../../src/facts/lookups/page/page-reader.ts";
import { createTurns } from "../../../../src/platform/network/turns.ts";
import type { ProtectedBrand, Site } from "./sites.ts";
import { serveSites } from "./site-server.ts";

/** How the inspector classified one site. */
export interface Outcome {
  site: Site;
  /** For a copy: it was found, as a copy of its brand. For a harmless site: it was flagged. */
  isFlagged: boolean;
  /** A copy that was found as a copy of another brand. */
  isOtherBrand: boolean;
  verdict: Verdict | undefined;
  /** Why the page could not be read. */
  problem: string | undefined;
}

/** Inspections at the same time. One browser opens one page at a time. */
const concurrency = 24;
const concurrencyWithBrowser = 2;

/**
 * Captures the originals of the brands and inspects every other site, with the product's reader and inspector over HTTP on
 * loopback.
 * @param openBrowser opens a browser that reaches the sites on these ports; undefined: no browser
 */
export async function evaluate({
  sites,
  brands,
  openBrowser,
  onProgress = () => {},
}: {
  sites: readonly Site[];
  brands: readonly ProtectedBrand[];
  openBrowser?: (server: ReturnType<typeof serveSites>) => { render: Render; close(): void };
  onProgress?: (done: number, all: number) => void;
}): Promise<{ outcomes: Outcome[]; originals: number; seconds: number }> {
  const server = serveSites(sites);
  const turns = createTurns();
  const rules = { allowPrivateNetworks: true };
  const reader = createPageReader({
    clock: systemClock,
    rules,
    resolveHost: server.resolveHost,
    ports: server.ports,
    turns,
  });
  const browser = openBrowser?.(server);
  const inspector = createPageInspector({ clock: systemClock, reader, render: browser?.render, turns });
  try {
    const captured: Brand[] = [];
    for (const brand of brands) captured.push(await capture(inspector, brand, browser !== undefined));
    inspector.setBrands(captured);
    const begunMs = performance.now();
    const inspected = sites.filter(
      ({ kind, needsBrowser }) => kind !== "original" && (!needsBrowser || browser !== undefined),
    );
    const outcomes: Outcome[] = [];
    const waiting = inspected.values();
    const work = async () => {
      for (const site of waiting) {
        outcomes.push(await inspect(inspector, site, browser !== undefined));
        onProgress(outcomes.length, inspected.length);
      }
    };
    await Promise.all(
      Array.from({ length: browser === undefined ? concurrency : concurrencyWithBrowser }, work),
    );
    const originals = captured.reduce((sum, brand) => sum + brand.originals.length, 0);
    return { outcomes, originals, seconds: (performance.now() - begunMs) / 1_000 };
  } finally {
    browser?.close();
    await inspector.close();
    await server.stop();
  }
}

const signal = new AbortController().signal;

async function capture(
  inspector: PageInspector,
  { pages, logo, ...brand }: ProtectedBrand,
  hasBrowser: boolean,
): Promise<Brand> {
  const originals: OriginalPage[] = [];
  for (const address of pages) {
    const result = await inspector.inspect(
      { address, protectedDomains: [], browser: hasBrowser ? "always" : "never" },
      signal,
    );
    if (result.ok) originals.push({ address, fingerprint: result.fingerprint });
  }
  return {
    ...brand,
    originals,
    logos: hasBrowser && logo !== undefined ? [{ name: brand.names[0]!, image: logo() }] : [],
  };
}

async function inspect(inspector: PageInspector, site: Site, hasBrowser: boolean): Promise<Outcome> {
  const result = await inspector.inspect(
    { address: site.start, browser: hasBrowser ? "if_needed" : "never" },
    signal,
  );
  if (!result.ok)
    return { site, isFlagged: false, isOtherBrand: false, verdict: undefined, problem: result.reason };
  const flagged = result.verdicts.filter(({ imitates }) => imitates);
  // Sites of other people need not say which brand they copy.
  const isRight = (verdict: Verdict) =>
    site.kind !== "copy" || site.protectedDomain === "" || verdict.protectedDomain === site.protectedDomain;
  const right = flagged.find(isRight);
  const shown = right ?? result.verdicts.find(isRight) ?? result.verdicts[0];
  return {
    site,
    isFlagged: right !== undefined,
    isOtherBrand: right === undefined && flagged.length > 0,
    verdict: shown,
    problem: result.noScreenshot === undefined ? undefined : `no screenshot: ${result.noScreenshot}`,
  };
}

/** Shares of a class of sites. */
export interface ClassCount {
  name: string;
  all: number;
  flagged: number;
}

export function countByClass(outcomes: readonly Outcome[], kind: Site["kind"]): ClassCount[] {
  const counts = new Map<string, ClassCount>();
  for (const { site, isFlagged } of outcomes) {
    if (site.kind !== kind) continue;
    const count = counts.get(site.class) ?? { name: site.class, all: 0, flagged: 0 };
    count.all += 1;
    if (isFlagged) count.flagged += 1;
    counts.set(site.class, count);
  }
  return [...counts.values()].sort((one, other) => one.name.localeCompare(other.name));
}

export function total(counts: readonly ClassCount[], name = "all"): ClassCount {
  const sum = (of: (count: ClassCount) => number) => counts.reduce((before, count) => before + of(count), 0);
  return { name, all: sum(({ all }) => all), flagged: sum(({ flagged }) => flagged) };
}

export const share = ({ flagged, all }: ClassCount): number => (all === 0 ? 0 : flagged / all);
