import { describe, expect, test } from "bun:test";
import { cameBackToLife, changesBetween } from "../../../src/facts/enrichment/facts/fact-changes.ts";
import {
  severityFactsOf,
  hostingOf,
  nothingKnown,
  type Facts,
} from "../../../src/facts/enrichment/facts/facts.ts";
import { mergeFacts, pageFailuresMax, withShown } from "../../../src/facts/enrichment/facts/merge-facts.ts";
import {
  intervalsMs,
  nextCheck,
  nextRegistration,
  retryDelaysMs,
  wantsRegistration,
  wantsScreenshot,
} from "../../../src/facts/enrichment/plan.ts";
import { severityOf } from "../../../src/threats/threats/severity/severity.ts";
import { existing, missing, plainPage, registered, unknown } from "../../support/enrichment.ts";
import { lookAlike } from "../../support/look-alikes.ts";

const now = Date.UTC(2026, 0, 15);
const dayMs = 86_400_000;
const page = { ok: true as const, page: plainPage };
const seen = mergeFacts(nothingKnown, { existence: existing, registration: registered, page }, now);

describe("mergeFacts", () => {
  test("an indefinite result keeps what is known and adds the reason", () => {
    const look = {
      existence: unknown("SERVFAIL"),
      registration: { ok: false as const, reason: "limit exceeded" },
      page: { ok: false as const, reason: "timed out" },
    };
    const after = mergeFacts(seen, look, now + dayMs);
    expect(after).toEqual({
      ...seen,
      pageFailures: 1,
      unknown: { existence: "SERVFAIL", registration: "limit exceeded", page: "timed out" },
    });
    expect(mergeFacts(after, { existence: existing, registration: registered, page }, now).unknown).toEqual(
      {},
    );
  });

  test("the given facts are not modified", () => {
    const before = structuredClone(seen);
    mergeFacts(before, { existence: missing, page: { ok: false, reason: "x" } }, now);
    expect(before).toEqual(seen);
  });

  test("a page is dropped only after several checks in a row without a response", () => {
    let facts = seen;
    for (let look = 1; look < pageFailuresMax; look++) {
      facts = mergeFacts(facts, { page: { ok: false, reason: "connection refused" } }, now);
      expect(facts.page).toBeDefined();
    }
    expect(
      mergeFacts(facts, { page: { ok: false, reason: "connection refused" } }, now).page,
    ).toBeUndefined();
    const recovered = mergeFacts(facts, { page }, now);
    expect(
      mergeFacts(recovered, { page: { ok: false, reason: "connection refused" } }, now).page,
    ).toBeDefined();
  });

  test("a name that is gone loses its page and addresses, and an unregistered one its registration", () => {
    const gone = mergeFacts(seen, { existence: missing }, now);
    expect([gone.page, gone.existence]).toEqual([undefined, { ...missing, exists: "no" }]);
    expect(gone.registration).toEqual(seen.registration!);
    const unregistered = { ok: false as const, reason: "not registered", unregistered: true };
    expect(mergeFacts(gone, { registration: unregistered }, now).registration).toBeUndefined();
  });
});

describe("severityFactsOf", () => {
  test("unknown facts stay unknown", () => {
    expect(severityFactsOf(nothingKnown, now)).toEqual({ exists: "unknown" });
  });

  test("null MX is no mail server, an error page is no page, and a future date is no age", () => {
    const facts = mergeFacts(
      seen,
      {
        existence: { ...existing, mailServers: ["."] },
        page: { ok: true, page: { ...plainPage, status: 404 } },
      },
      now,
    );
    expect(severityFactsOf(facts, Date.UTC(2025, 0, 1))).toEqual({
      exists: "yes",
      reachable: true,
      mail: false,
      isDown: true,
    });
  });

  test("the age of a registration is counted in whole days", () => {
    expect(severityFactsOf(seen, now).registeredDays).toBe(14);
  });
});

describe("changesBetween", () => {
  test("equal facts and rotated lists have no changes", () => {
    const two = { ...existing, addresses: ["192.0.2.1", "192.0.2.2"] };
    const turned = { ...existing, addresses: ["192.0.2.2", "192.0.2.1"] };
    expect(changesBetween(seen, structuredClone(seen))).toEqual([]);
    const [before, after] = [two, turned].map((existence) => mergeFacts(nothingKnown, { existence }, now));
    expect(changesBetween(before!, after!)).toEqual([]);
  });

  test("each changed fact is reported with its value before and after", () => {
    const after = mergeFacts(
      seen,
      {
        existence: { ...existing, addresses: ["192.0.2.8"], mailServers: ["mx.example.net"] },
        page: {
          ok: true,
          page: { ...plainPage, asksForPassword: true, asksForCard: true, title: "Sign in" },
        },
      },
      now,
    );
    expect(changesBetween(seen, after)).toEqual([
      { field: "addresses", before: "192.0.2.7", after: "192.0.2.8" },
      { field: "mail servers", before: null, after: "mx.example.net" },
      { field: "page title", before: "Welcome", after: "Sign in" },
      { field: "page asks for", before: null, after: "card, password" },
    ]);
  });

  test("visual similarity is compared in steps of ten percent and reported to one percent", () => {
    const looks = (visualSimilarity: number): Facts => ({
      ...seen,
      screenshot: { at: now, hash: "0", visualSimilarity },
    });
    expect(changesBetween(looks(0.91), looks(0.93))).toEqual([]);
    expect(changesBetween(looks(0.5), looks(0.93))).toEqual([
      { field: "page looks like the original", before: "50 %", after: "93 %" },
    ]);
  });
});

describe("cameBackToLife", () => {
  const facts = (existence: typeof existing, withPage = true): Facts =>
    mergeFacts(nothingKnown, { existence, ...(withPage ? { page } : {}) }, now);
  const parked = { ...existing, parked: "Example Parking" };
  const sunk = { ...existing, sinkholed: "Example Sinkhole" };
  const rows: [string, Facts, Facts, boolean][] = [
    ["not in DNS, then in DNS", facts(missing), facts(existing), true],
    ["not in DNS, then in a sinkhole", facts(missing), facts(sunk), false],
    ["parked, then with a page", facts(parked), facts(existing), true],
    ["parked, then without a page", facts(parked), facts(existing, false), false],
    ["still parked", facts(parked), facts(parked), false],
    ["in a sinkhole, then with a page", facts(sunk), facts(existing), true],
    ["still in DNS", facts(existing), facts(existing), false],
    ["in DNS, then not", facts(existing), facts(missing), false],
    ["never checked, then in DNS", nothingKnown, facts(existing), false],
    [
      "not in DNS, then unknown",
      facts(missing),
      mergeFacts(facts(missing), { existence: unknown("x") }, now),
      false,
    ],
  ];
  test.each(rows)("is decided correctly for a name that is %s", (_what, before, after, expected) => {
    expect(cameBackToLife(before, after)).toBe(expected);
  });
});

describe("schedule", () => {
  test("after a complete check, the next one follows the next interval, and the last interval repeats", () => {
    let at = { step: 0, failures: 0 };
    const waited: number[] = [];
    for (let look = 0; look < 8; look++) {
      const next = nextCheck(at, { complete: true, news: false, siteState: "up" }, now);
      waited.push((next.dueAt - now) / dayMs);
      at = next;
    }
    expect(waited).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
  });

  test("a site that is watched is checked every 4 hours, and one that is down as rarely as others", () => {
    const hoursUntil = (siteState: "up" | "down") =>
      (nextCheck({ step: 5, failures: 0 }, { complete: true, isWatched: true, news: false, siteState }, now)
        .dueAt -
        now) /
      3_600_000;
    expect([hoursUntil("up"), hoursUntil("down")]).toEqual([4, 7 * 24]);
  });

  test("news restart the schedule with the shortest interval", () => {
    expect(nextCheck({ step: 5, failures: 0 }, { complete: true, news: true, siteState: "up" }, now)).toEqual(
      {
        dueAt: now + intervalsMs[0]!,
        step: 1,
        failures: 0,
      },
    );
  });

  test("an incomplete check is retried a limited number of times, at most a day later", () => {
    let at = { step: 2, failures: 0 };
    for (const delayMs of retryDelaysMs) {
      const next = nextCheck(at, { complete: false, news: false, siteState: null }, now);
      expect([next.dueAt - now, next.step]).toEqual([delayMs, 2]);
      at = next;
    }
    expect(nextCheck(at, { complete: false, news: false, siteState: null }, now)).toEqual({
      dueAt: now + intervalsMs[2]!,
      step: 3,
      failures: 0,
    });
  });

  test("a failed registration lookup is retried with growing delays, and then only if a check wants it", () => {
    const failed = { ok: false as const, reason: "timed out" };
    expect(retryDelaysMs.map((_, failures) => nextRegistration(failed, failures, now))).toEqual(
      retryDelaysMs.map((delayMs, failures) => ({ dueAt: now + delayMs, failures: failures + 1 })),
    );
    expect(nextRegistration(failed, retryDelaysMs.length, now)).toBeUndefined();
    expect(nextRegistration(registered, 0, now)).toBeUndefined();
    expect(nextRegistration({ ...failed, unregistered: true }, 0, now)).toBeUndefined();
    expect(nextRegistration({ ...failed, retryAfterMs: 9 * dayMs }, 0, now)!.dueAt - now).toBe(dayMs);
  });

  test("a registration lookup that sent no query is postponed without a limit", () => {
    const sentBack = { ok: false as const, reason: "left alone", retryAfterMs: 60_000, postponed: true };
    expect(nextRegistration(sentBack, 2, now)).toEqual({ dueAt: now + 60_000, failures: 2 });
    expect(nextRegistration({ ...sentBack, retryAfterMs: 0 }, 2, now)!.dueAt).toBeGreaterThan(now);
  });
});

describe("what a check looks up", () => {
  test("a registration is looked up again after a week, or if the name servers have changed", () => {
    const given = { requested: false, retry: false, now };
    expect(wantsRegistration(seen, seen, { ...given, now: now + 6 * dayMs })).toBe(false);
    expect(wantsRegistration(seen, seen, { ...given, now: now + 7 * dayMs })).toBe(true);
    expect(wantsRegistration(seen, seen, { ...given, now: now + 7 * dayMs, retry: true })).toBe(false);
    expect(wantsRegistration(seen, seen, { ...given, requested: true })).toBe(true);
    const moved = mergeFacts(seen, { existence: { ...existing, nameServers: ["ns9.example.org"] } }, now);
    expect(wantsRegistration(moved, seen, { ...given, retry: true })).toBe(true);
    expect(
      wantsRegistration(mergeFacts(nothingKnown, { existence: missing }, now), nothingKnown, given),
    ).toBe(false);
  });

  test("what a browser showed stays as long as the server sends the same page, and never removes what was sent", () => {
    const given = { requested: false, status: "active" as const, now };
    const unseen = "its content is rendered by scripts or in a frame";
    const sent = { ...plainPage, unseen };
    const imitation = {
      protectedDomain: "example-bank.com",
      score: 0.9,
      imitates: true,
      original: null,
      signals: [],
    };
    const shown = {
      ...plainPage,
      title: "Example Bank",
      asksForPassword: true,
      from: "browser" as const,
      imitation,
    };
    const check = (facts: Facts, next: typeof plainPage) =>
      mergeFacts(facts, { page: { ok: true, page: next } }, now);
    const before = { ...check(seen, sent), screenshot: { at: now, hash: "0" } };
    expect(before.unknown.page).toBe(unseen);

    const rendered = withShown(before, shown);
    expect(rendered).toMatchObject({ page: shown, rendered: { sent }, unknown: {} });
    const again = check(rendered, { ...sent, finalUrl: "https://examp1e-bank.com/7f3a" });
    expect(again).toMatchObject({ page: { imitation, asksForPassword: true, from: "browser" } });
    expect(again.unknown.page).toBeUndefined();
    expect(wantsScreenshot(rendered, check(rendered, sent), given)).toBe(false);

    const changed = check(rendered, { ...plainPage, title: "Shop" });
    expect(changed).toMatchObject({ page: { title: "Shop", asksForPassword: false } });
    expect(changed.rendered).toBeUndefined();
    expect(wantsScreenshot(rendered, changed, given)).toBe(true);
    // A site that is back after an error is opened in a browser again.
    const gone = check(rendered, { ...sent, status: 404 });
    expect(gone.page!.imitation).toBeUndefined();
    expect(wantsScreenshot(gone, check(gone, sent), given)).toBe(true);

    const full = check(seen, { ...plainPage, asksForPassword: true, imitation });
    const empty = { ...plainPage, title: "", from: "browser" as const };
    expect(withShown(full, empty)).toMatchObject({
      page: { title: "Welcome", asksForPassword: true, imitation },
    });
    const own = { ...shown, redirectsToProtected: true };
    expect(withShown(before, own)).toMatchObject({ page: sent });
    // An inspection with a browser is followed by a check without one.
    const inspected = mergeFacts(seen, { page: { ok: true, page: shown }, isRendered: true }, now);
    const checked = check({ ...inspected, screenshot: { at: now, hash: "0" } }, sent);
    expect(checked).toMatchObject({ page: { imitation, from: "browser" }, rendered: { sent } });
    expect(wantsScreenshot({ ...inspected, screenshot: checked.screenshot! }, checked, given)).toBe(false);
  });

  test("a screenshot is taken once of a page with content, and again if the page has changed", () => {
    const given = { requested: false, status: "active" as const, now };
    const shot = { ...seen, screenshot: { at: now, hash: "0" } };
    expect(wantsScreenshot(nothingKnown, seen, given)).toBe(true);
    expect(wantsScreenshot(shot, shot, given)).toBe(false);
    expect(wantsScreenshot(shot, shot, { ...given, now: now + 30 * dayMs })).toBe(true);
    expect(wantsScreenshot(shot, { ...shot, page: { ...plainPage, title: "Sign in" } }, given)).toBe(true);
    expect(wantsScreenshot(nothingKnown, { ...seen, page: { ...plainPage, status: 503 } }, given)).toBe(
      false,
    );
    const held = { ...seen, existence: { ...existing, exists: "yes" as const, parked: "x" } };
    expect(wantsScreenshot(nothingKnown, held, given)).toBe(false);
    expect(wantsScreenshot(nothingKnown, seen, { ...given, status: "false_positive" })).toBe(false);
  });
});

describe("pages that hide something", () => {
  const given = { requested: false, status: "active" as const, now };
  const withPage = (changes: Partial<typeof plainPage>, more: Partial<Facts> = {}): Facts => ({
    ...seen,
    ...more,
    page: { ...plainPage, ...changes },
  });

  test("a screenshot is taken even if a page claims to be parked, as it may claim that only to us", () => {
    const facts = withPage({ parked: "for sale" });
    expect(wantsScreenshot(nothingKnown, facts, given)).toBe(true);
    const copy = { ...facts, screenshot: { at: now, hash: "0", visualSimilarity: 1 } };
    const scored = severityOf(lookAlike({ similarity: 0.8 }), { facts: severityFactsOf(copy, now) });
    expect(scored.severity).toBe("high");
  });

  test("a credential form raises the severity regardless of the HTTP status", () => {
    const facts = withPage({ status: 404, asksForPassword: true });
    expect(severityFactsOf(facts, now).page).toMatchObject({ asksForPassword: true });
    expect(wantsScreenshot(nothingKnown, facts, given)).toBe(true);
    expect(severityFactsOf(withPage({ status: 404 }), now).page).toBeUndefined();
  });

  test("a redirect whose target cannot be seen does not lower the severity, and a screenshot is taken", () => {
    const bare = { ...plainPage, status: 302, unseen: "it redirects in a loop" };
    const facts = mergeFacts(seen, { page: { ok: true, page: bare } }, now);
    expect(facts.unknown.page).toBe("it redirects in a loop");
    expect(severityFactsOf(facts, now).page).toBeUndefined();
    expect(wantsScreenshot(nothingKnown, facts, given)).toBe(true);
  });

  test("a redirect to the original counts only if a browser is redirected there as well", () => {
    const facts = withPage({ redirectsToProtected: true });
    expect(severityFactsOf(facts, now).page!.redirectsToProtected).toBe(true);
    const screenshot = { at: now, hash: "0", visualSimilarity: 1, atOriginal: false };
    const cloaked = { ...facts, screenshot };
    expect(severityFactsOf(cloaked, now).page).toMatchObject({
      redirectsToProtected: false,
      visualSimilarity: 1,
    });
    const honest = { ...facts, screenshot: { ...screenshot, atOriginal: true } };
    expect(severityFactsOf(honest, now).page!.redirectsToProtected).toBe(true);
  });

  test("sinkhole or parking name servers that the registry does not list are ignored", () => {
    const existence = {
      ...existing,
      exists: "yes" as const,
      nameServers: ["ns1.sinkhole.shadowserver.org"],
      sinkholed: "Shadowserver",
      parked: "Sedo",
    };
    const registeredAt = (...servers: string[]): Facts => ({
      unknown: {},
      existence,
      registration: { source: "rdap", name_servers: servers } as Facts["registration"] & {},
    });
    expect(hostingOf({ unknown: {}, existence })).toEqual({ parked: "Sedo", sinkholed: "Shadowserver" });
    expect(hostingOf(registeredAt("ns1.sinkhole.shadowserver.org"))).toEqual(
      hostingOf({ unknown: {}, existence }),
    );
    expect(hostingOf(registeredAt("ns1.bulletproof.example"))).toEqual({});
  });
});
