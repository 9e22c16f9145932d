import type { Page } from "../../lookups/page/page-lookup.ts";

/** A page of which a browser showed more than the server sent. `Facts.page` then contains what was shown. */
export interface RenderedPage {
  /** The page as the server sent it at the last check; absent: not checked since the browser was used. */
  sent?: Page;
}

/** The facts about a page. `page` is absent if there is none. */
interface PageFacts {
  page?: Page;
  rendered?: RenderedPage;
}
type KnownPage = PageFacts & { page: Page };

/** Returns the facts about a page after a browser showed it, unless the page as it was sent says as much. */
export function afterShown(page: Page, rendered: RenderedPage | undefined, shown: Page): KnownPage {
  const sent = rendered === undefined ? page : rendered.sent;
  const base = sent ?? page;
  if (!saysMore(shown, base)) return { page: base };
  return { page: combined(base, shown), rendered: sent === undefined ? {} : { sent } };
}

/**
 * Returns the facts about a page after a check, which gets it as the server sends it. What a browser showed stays as long
 * as that looks the same.
 */
export function afterSent({ page: before, rendered }: PageFacts, sent: Page): KnownPage {
  if (before === undefined || rendered === undefined) return { page: sent };
  const isSame =
    rendered.sent === undefined
      ? sent.status < 400 && hostOf(sent) === hostOf(before)
      : looksOf(rendered.sent, hostOf) === looksOf(sent, hostOf);
  return isSame && saysMore(before, sent)
    ? { page: combined(sent, before), rendered: { sent } }
    : { page: sent };
}

/** Returns whether the page, as it is sent, looks different from before. */
export function looksChanged(before: PageFacts, after: PageFacts): boolean {
  // The first check after an inspection with a browser.
  if (before.rendered?.sent === undefined && before.rendered !== undefined && after.rendered !== undefined)
    return false;
  const [was, is] = [before, after].map(({ page, rendered }) => rendered?.sent ?? page);
  return looksOf(was, urlOf) !== looksOf(is, urlOf);
}

function saysMore(shown: Page, sent: Page): boolean {
  // The content is then that of the owner's page.
  if (shown.redirectsToProtected && !sent.redirectsToProtected) return false;
  if (scoreOf(shown) > scoreOf(sent)) return true;
  const isContent = shown.from === "browser" && shown.unseen === undefined && shown.status < 400;
  return isContent && sent.unseen !== undefined && scoreOf(shown) === scoreOf(sent);
}

/** Adds what was shown to a page. A browser without a screen can be shown less than other visitors, so nothing is removed. */
function combined(sent: Page, shown: Page): Page {
  const { from: _from, parked, shownTo: _shownTo, unseen, ...rest } = sent;
  return {
    ...rest,
    title: shown.title === "" ? sent.title : shown.title,
    asksForPassword: sent.asksForPassword || shown.asksForPassword,
    asksForCard: sent.asksForCard || shown.asksForCard,
    namesBrand: sent.namesBrand || shown.namesBrand,
    unseen: shown.unseen === undefined ? undefined : unseen,
    parked: shown.imitation?.imitates === true ? undefined : parked,
    from: shown.from,
    shownTo: shown.shownTo,
    imitation: shown.imitation ?? sent.imitation,
  };
}

function scoreOf({ imitation }: Page): number {
  return imitation?.score ?? 0;
}

function looksOf(page: Page | undefined, place: (page: Page) => string): string {
  if (page === undefined) return "";
  const { asksForCard, asksForPassword, faviconHash, status, title, unseen } = page;
  const isError = status >= 400;
  return JSON.stringify([
    place(page),
    title,
    faviconHash,
    asksForPassword,
    asksForCard,
    isError,
    unseen !== undefined,
  ]);
}

function urlOf({ finalUrl }: Page): string {
  return finalUrl;
}

/** Kits add random paths to each visit. */
function hostOf({ finalUrl }: Page): string {
  return URL.parse(finalUrl)?.hostname ?? finalUrl;
}
