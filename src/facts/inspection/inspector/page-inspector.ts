import { withoutTranslation } from "../../../engines/detection/names/wrapped-link.ts";
import { dayMs, type Clock } from "../../../platform/lib/clock.ts";
import { createLimiter, inSlot } from "../../../platform/lib/limiter.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { namesBrand } from "../../lookups/page/page-indicators.ts";
import type { Page } from "../../lookups/page/page-lookup.ts";
import type { PageReader, PageTarget, ReadPage } from "../../lookups/page/page-reader.ts";
import type { PageView } from "../../lookups/page/page-view.ts";
import { userAgentOf } from "../../lookups/visits/visitors.ts";
import type { Turns } from "../../../platform/network/turns.ts";
import { assessAll } from "../comparison/assess.ts";
import { isOwnPage } from "../comparison/brand-reading.ts";
import { fingerprintOf } from "../comparison/fingerprint.ts";
import { hasFrame, needsBrowser, waypointsOf } from "../comparison/further-looks.ts";
import { readScreenshot, type ReadScreenshot } from "../comparison/screenshot.ts";
import type { PageFingerprint } from "../model/fingerprint.ts";
import type { InspectionResult, InspectionTarget, Inspector } from "../model/inspector.ts";
import { storedVerdict, type SeenPage, type Verdict, type Brand } from "../model/verdict.ts";
import { freedByBrowser, limitWaiting, type Render } from "./render.ts";

/** Maximum number of concurrent inspections, not counting those that wait for the browser. */
const concurrencyMax = 32;
/** Number of brands compared at once: at most about 2 ms. */
const brandsPerTurn = 10;
const brandNamesMax = 300;
const ledToOwnPage = "in a browser, the page leads to the page of the brand itself";

/** An inspector in the thread that has the brands. */
export interface PageInspector extends Inspector {
  /** Replaces the brands to compare pages with. */
  setBrands(brands: readonly Brand[]): void;
}

/** A page that was compared. */
interface ComparedPage {
  page: Page;
  view: PageView;
  fingerprint: PageFingerprint;
  verdicts: Verdict[];
}

interface PageInspectorDependencies {
  clock: Pick<Clock, "now">;
  reader: PageReader;
  render: Render | undefined;
  turns: Turns;
}

/**
 * Inspects pages in this thread, in short pieces of work.
 * @param render undefined if there is no browser
 */
export function createPageInspector(dependencies: PageInspectorDependencies): PageInspector {
  const { clock, reader, render, turns } = dependencies;
  const limited = createLimiter(concurrencyMax);
  const open = render && limitWaiting(render);
  let brands: readonly Brand[] = [];

  async function inspect(target: InspectionTarget, signal: AbortSignal): Promise<InspectionResult> {
    const { browser, protectedDomains } = target;
    const address = withoutTranslation(target.address);
    const compared =
      protectedDomains === undefined
        ? brands
        : brands.filter((brand) => protectedDomains.includes(brand.protectedDomain));
    const opened: PageTarget = {
      address,
      protectedDomains: protectedDomains ?? brands.map((brand) => brand.protectedDomain),
      brandNames: namesOf(compared, target),
      languages: languagesOf(compared, address),
      // Half a page must not define what an original looks like.
      mustBeComplete: target.isOwn === true,
      signal,
    };
    const first = await reader.read(opened);
    signal.throwIfAborted();
    if (!first.ok) return first;
    const comparison = { clock, compared, screenshot: undefined, target, turns };
    const { read, seen } = await asOtherVisitor(
      { read: first, seen: await comparePage(first, comparison) },
      { ...comparison, opened, reader },
    );
    signal.throwIfAborted();
    const closest = await alongWaypoints(seen, { ...comparison, reader, signal });
    const wanted =
      browser === "always" ||
      (browser === "if_needed" &&
        needsBrowser({
          page: closest.fingerprint,
          verdicts: closest.verdicts,
          view: closest.view,
        }));
    if (open === undefined || !wanted) return resultOf(closest, target, {});
    return withBrowser(read, closest, { ...comparison, signal, open });
  }

  return {
    inspect: (target, signal) =>
      target.isUrgent === true
        ? inspect(target, signal)
        : inSlot(limited, async (release) => {
            signal.throwIfAborted();
            return inspect(freedByBrowser(target, release), signal);
          }),
    setBrands: (next) => void (brands = next),
    close: async () => reader.close(),
  };
}

/** Brands to compare a page with, and the services for it. */
interface Comparison {
  clock: Pick<Clock, "now">;
  compared: readonly Brand[];
  screenshot: ReadScreenshot | undefined;
  target: InspectionTarget;
  turns: Turns;
}

/** Compares a page with the brands. */
async function comparePage(
  { page: facts, view }: { page: Page; view: PageView },
  { clock, compared, screenshot, target, turns }: Comparison,
): Promise<ComparedPage> {
  await turns.next();
  const fingerprint = { ...fingerprintOf(view), screenshot: screenshot?.hash };
  const page = { ...facts };
  const seen = seenPage(page, {
    fingerprint,
    logos: screenshot?.logos,
    nowMs: clock.now(),
    requested: target.address,
  });
  const verdicts: Verdict[] = [];
  for (let from = 0; from < compared.length; from += brandsPerTurn) {
    await turns.next();
    verdicts.push(...assessAll({ page: seen, brands: compared.slice(from, from + brandsPerTurn) }));
  }
  verdicts.sort((one, other) => other.score - one.score);
  const [top] = verdicts;
  if (top !== undefined) {
    const names = namesOf(
      compared.filter((brand) => brand.protectedDomain === top.protectedDomain),
      target,
    );
    const host = URL.parse(view.addresses[0] ?? "")?.hostname ?? "";
    // Several brands were searched for at once; the fact is about the one that the page resembles.
    page.namesBrand = await namesBrand(
      { title: view.title, text: `${view.text} ${view.hiddenText}` },
      names,
      host,
      turns,
    );
    page.imitation = storedVerdict(top);
  }
  return { page, view, fingerprint, verdicts };
}

/**
 * Follows a page that only leads on, such as a frame or a button that says "Continue", and returns the page that resembles
 * a brand most.
 */
async function alongWaypoints(
  first: ComparedPage,
  { reader, signal, ...comparison }: Comparison & { reader: PageReader; signal: AbortSignal },
): Promise<ComparedPage> {
  let found = first;
  if (first.verdicts.some(({ imitates }) => imitates)) return first;
  const protectedDomains = comparison.compared.map(({ protectedDomain }) => protectedDomain);
  for (const address of waypointsOf(first.fingerprint, first.view)) {
    if (comparison.compared.some((brand) => isOwnPage(new URL(address).hostname, brand))) continue;
    const names = namesOf(comparison.compared, comparison.target);
    const read = await reader.read({ address, protectedDomains, brandNames: names, signal });
    signal.throwIfAborted();
    if (!read.ok) continue;
    const view = { ...read.view, addresses: [...first.view.addresses, ...read.view.addresses] };
    const page: Page = { ...read.page, redirects: view.addresses.slice(1).map((one) => visible(one, 2_000)) };
    if (first.page.firstUrl !== undefined) page.firstUrl = first.page.firstUrl;
    if (hasFrame(first.fingerprint, address)) page.framedBy = first.page.finalUrl;
    found = closer(found, await comparePage({ page, view }, comparison));
  }
  return found;
}

/**
 * Reads the page as a visitor that differs in everything, unless it already imitates a brand or is the brand's own: some
 * pages show a harmless page to all others. Returns the version that resembles a brand more.
 */
async function asOtherVisitor(
  first: { read: ReadPage; seen: ComparedPage },
  { opened, reader, ...comparison }: Comparison & { opened: PageTarget; reader: PageReader },
): Promise<{ read: ReadPage; seen: ComparedPage }> {
  const { page, verdicts, view } = first.seen;
  const host = URL.parse(view.addresses.at(-1) ?? "")?.hostname ?? "";
  const isSettled =
    verdicts.some(({ imitates }) => imitates) || comparison.compared.some((brand) => isOwnPage(host, brand));
  // A visitor that was shown nothing has been followed by all others.
  const wereTried = page.shownTo !== undefined || page.status >= 400;
  if (isSettled || wereTried || comparison.compared.length === 0) return first;
  const read = await reader.read({ ...opened, unlike: view });
  if (!read.ok) return first;
  const seen = await comparePage(read, comparison);
  return scoreOf(seen) > scoreOf(first.seen) ? { read, seen } : first;
}

/** Opens the page in the browser, too, and compares what it shows. */
async function withBrowser(
  read: ReadPage,
  closest: ComparedPage,
  { open, signal, ...comparison }: Comparison & { open: Render; signal: AbortSignal },
): Promise<InspectionResult> {
  const fragment = URL.parse(comparison.target.address)?.hash ?? "";
  comparison.target.onBrowser?.();
  const rendered = await open(`${closest.view.addresses[0]!}${fragment}`, signal, {
    isUrgent: comparison.target.isUrgent === true,
    userAgent: closest.page.shownTo && userAgentOf(closest.page.shownTo),
  });
  if (!rendered.ok) return resultOf(closest, comparison.target, { noScreenshot: rendered.reason });
  const { html, url, webp } = rendered;
  const screenshot = await readScreenshot({ screenshot: webp, brands: comparison.compared }).catch(
    () => undefined,
  );
  const seen = { ...comparison, screenshot };
  const asRendered =
    html === undefined ? undefined : await comparePage(await read.readRendered({ html, address: url }), seen);
  const host = URL.parse(url)?.hostname ?? "";
  if (comparison.compared.some((brand) => isOwnPage(host, brand))) {
    // The screenshot shows the brand's own page, which says nothing about the page that leads there.
    const imitates = closest.verdicts.some((verdict) => verdict.imitates);
    return asRendered === undefined || imitates
      ? resultOf(closest, comparison.target, { noScreenshot: ledToOwnPage })
      : resultOf(asRendered, comparison.target, { screenshot: webp, shownAt: url });
  }
  const asSent = await comparePage(closest, seen);
  return resultOf(shownIn(asSent, asRendered), comparison.target, { screenshot: webp, shownAt: url });
}

function seenPage(
  { certificate }: Page,
  {
    fingerprint,
    logos,
    nowMs,
    requested,
  }: Pick<SeenPage, "fingerprint" | "logos"> & { nowMs: number; requested: string },
): SeenPage {
  const ageDays =
    certificate === undefined ? Number.NaN : (nowMs - Date.parse(certificate.notBefore)) / dayMs;
  const isFaulty = certificate?.fault !== undefined;
  return {
    fingerprint,
    requested,
    certificate: Number.isNaN(ageDays) ? undefined : { ageDays, isFaulty },
    logos,
  };
}

/** A browser can be shown less than we were, for example by a page that recognizes browsers without a screen. */
function shownIn(asSent: ComparedPage, asRendered: ComparedPage | undefined): ComparedPage {
  if (asRendered === undefined) return asSent;
  const isEmptier = asRendered.fingerprint.words.length < asSent.fingerprint.words.length;
  const isAsClose = scoreOf(asSent) === scoreOf(asRendered);
  return isAsClose && isEmptier && asSent.page.unseen === undefined ? asSent : closer(asSent, asRendered);
}

/** Returns the page that resembles a brand more, by default the later one. */
function closer(first: ComparedPage, later: ComparedPage): ComparedPage {
  return scoreOf(first) > scoreOf(later) ? first : later;
}

function scoreOf({ verdicts }: ComparedPage): number {
  return verdicts[0]?.score ?? 0;
}

function resultOf(
  { fingerprint, page, verdicts, view }: ComparedPage,
  target: InspectionTarget,
  rest: { screenshot?: Uint8Array; noScreenshot?: string; shownAt?: string },
): InspectionResult {
  return {
    ok: true,
    page,
    fingerprint,
    verdicts,
    ...rest,
    isMereRedirect: view.isMereRedirect,
    ...(target.withView === true ? { view } : {}),
  };
}

function namesOf(brands: readonly Brand[], { brandNames = [] }: InspectionTarget): string[] {
  const names = [
    ...brandNames,
    ...brands.flatMap(({ names: own, protectedDomain }) => [...own, protectedDomain]),
  ];
  return [...new Set(names)].slice(0, brandNamesMax);
}

const languagesMax = 6;
/** Weight of the language of a brand that the address names. */
const namedWeight = 1_000;

/** Returns the languages of the originals: first of brands that the address names, then the most frequent. */
function languagesOf(brands: readonly Brand[], address: string): string[] {
  const counts = new Map<string, number>();
  const plain = (text: string) => text.toLowerCase().replace(/[ -]/g, "");
  const named = plain(address);
  for (const { names, originals } of brands) {
    const isNamed = names.some((name) => named.includes(plain(name)));
    for (const { fingerprint } of originals) {
      const { language } = fingerprint;
      if (language !== undefined)
        counts.set(language, (counts.get(language) ?? 0) + (isNamed ? namedWeight : 1));
    }
  }
  const sorted = [...counts].toSorted(([, one], [, other]) => other - one);
  return sorted.slice(0, languagesMax).map(([language]) => language);
}
