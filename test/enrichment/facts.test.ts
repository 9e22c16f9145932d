import { describe, expect, test } from "bun:test";
import { cameBackToLife, changesBetween } from "../../src/enrichment/facts/fact-changes.ts";
import {
  severityFactsOf,
  hostingOf,
  mergeFacts,
  nothingKnown,
  pageFailuresMax,
  type Facts,
} from "../../src/enrichment/facts/facts.ts";
import {
  intervalsMs,
  nextCheck,
  nextRegistration,
  retryDelaysMs,
  wantsRegistration,
  wantsScreenshot,
} from "../../src/enrichment/plan.ts";
import { severityOf } from "../../src/threats/severity/severity.ts";
import { existing, missing, plainPage, registered, unknown } from "../support/enrichment.ts";

const now = Date.UTC(2026, 0, 15);
const dayMs = 86_400_000;
const page = { ok: true as const, page: plainPage };
const seen = mergeFacts(nothingKnown, { existence: existing, registration: registered, page }, now);

describe("merging a look", () => {
  test("keeps what is known when nothing sure was answered, and why nothing was", () => {
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

  test("never changes what it was given", () => {
    const before = structuredClone(seen);
    mergeFacts(before, { existence: missing, page: { ok: false, reason: "x" } }, now);
    expect(before).toEqual(seen);
  });

  test("gives a page up after several silent looks in a row, not before", () => {
    let facts = seen;
    for (let look = 1; look < pageFailuresMax; look++) {
      facts = mergeFacts(facts, { page: { ok: false, reason: "refused" } }, now);
      expect(facts.page).toBeDefined();
    }
    expect(mergeFacts(facts, { page: { ok: false, reason: "refused" } }, now).page).toBeUndefined();
    const recovered = mergeFacts(facts, { page }, now);
    expect(mergeFacts(recovered, { page: { ok: false, reason: "refused" } }, now).page).toBeDefined();
  });

  test("drops page and addresses of a name that is gone, and the registration of one that nobody holds", () => {
    const gone = mergeFacts(seen, { existence: missing }, now);
    expect([gone.page, gone.existence]).toEqual([undefined, { ...missing, exists: "no" }]);
    expect(gone.registration).toEqual(seen.registration!);
    const unregistered = { ok: false as const, reason: "not registered", unregistered: true };
    expect(mergeFacts(gone, { registration: unregistered }, now).registration).toBeUndefined();
  });
});

describe("evidence", () => {
  test("leaves unknown what is not known", () => {
    expect(severityFactsOf(nothingKnown, now)).toEqual({ exists: "unknown" });
  });

  test("takes no null MX for a mail server, no error page for a page, no future date for an age", () => {
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
    });
  });

  test("counts whole days since the registration", () => {
    expect(severityFactsOf(seen, now).registeredDays).toBe(14);
  });
});

describe("changes", () => {
  test("are none between equal facts, and none by the order of what rotates", () => {
    const two = { ...existing, addresses: ["192.0.2.1", "192.0.2.2"] };
    const turned = { ...existing, addresses: ["192.0.2.2", "192.0.2.1"] };
    expect(changesBetween(seen, structuredClone(seen))).toEqual([]);
    const [before, after] = [two, turned].map((existence) => mergeFacts(nothingKnown, { existence }, now));
    expect(changesBetween(before!, after!)).toEqual([]);
  });

  test("tell each fact that became another, before and after", () => {
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

  test("of visual similarity are told in steps of ten", () => {
    const looks = (visualSimilarity: number): Facts => ({
      ...seen,
      screenshot: { at: now, hash: "0", visualSimilarity },
    });
    expect(changesBetween(looks(0.91), looks(0.93))).toEqual([]);
    expect(changesBetween(looks(0.5), looks(0.93))).toEqual([
      { field: "page looks like the original", before: "50 %", after: "90 %" },
    ]);
  });
});

describe("coming back to life", () => {
  const facts = (existence: typeof existing, withPage = true): Facts =>
    mergeFacts(nothingKnown, { existence, ...(withPage ? { page } : {}) }, now);
  const parked = { ...existing, parked: "Example Parking" };
  const sunk = { ...existing, sinkholed: "Example Sinkhole" };
  const rows: [string, Facts, Facts, boolean][] = [
    ["not in DNS, then in DNS", facts(missing), facts(existing), true],
    ["not in DNS, then in a sinkhole", facts(missing), facts(sunk), false],
    ["parked, then with a page", facts(parked), facts(existing), true],
    ["parked, then without a page", facts(parked), facts(existing, false), false],
    ["parked still", facts(parked), facts(parked), false],
    ["in a sinkhole, then with a page", facts(sunk), facts(existing), true],
    ["in DNS still", facts(existing), facts(existing), false],
    ["in DNS, then not", facts(existing), facts(missing), false],
    ["never looked at, then in DNS", nothingKnown, facts(existing), false],
    [
      "not in DNS, then not sure",
      facts(missing),
      mergeFacts(facts(missing), { existence: unknown("x") }, now),
      false,
    ],
  ];
  test.each(rows)("%s", (_what, before, after, expected) => {
    expect(cameBackToLife(before, after)).toBe(expected);
  });
});

describe("the next look", () => {
  test("of a complete one comes after the next interval, the last one for ever", () => {
    let at = { step: 0, failures: 0 };
    const waited: number[] = [];
    for (let look = 0; look < 8; look++) {
      const next = nextCheck(at, { complete: true, news: false }, now);
      waited.push((next.dueAt - now) / dayMs);
      at = next;
    }
    expect(waited).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
  });

  test("after news begins with the shortest interval again", () => {
    expect(nextCheck({ step: 5, failures: 0 }, { complete: true, news: true }, now)).toEqual({
      dueAt: now + intervalsMs[0]!,
      step: 1,
      failures: 0,
    });
  });

  test("of an incomplete one is tried again a limited number of times, never later than in a day", () => {
    let at = { step: 2, failures: 0 };
    for (const delayMs of retryDelaysMs) {
      const next = nextCheck(at, { complete: false, news: false }, now);
      expect([next.dueAt - now, next.step]).toEqual([delayMs, 2]);
      at = next;
    }
    expect(nextCheck(at, { complete: false, news: false }, now)).toEqual({
      dueAt: now + intervalsMs[2]!,
      step: 3,
      failures: 0,
    });
  });

  test("a registration that failed is requested for again with growing delays, then not before a look wants it", () => {
    const failed = { ok: false as const, reason: "timed out" };
    expect(retryDelaysMs.map((_, failures) => nextRegistration(failed, failures, now))).toEqual(
      retryDelaysMs.map((delayMs, failures) => ({ dueAt: now + delayMs, failures: failures + 1 })),
    );
    expect(nextRegistration(failed, retryDelaysMs.length, now)).toBeUndefined();
    expect(nextRegistration(registered, 0, now)).toBeUndefined();
    expect(nextRegistration({ ...failed, unregistered: true }, 0, now)).toBeUndefined();
    expect(nextRegistration({ ...failed, retryAfterMs: 9 * dayMs }, 0, now)!.dueAt - now).toBe(dayMs);
  });

  test("a registration that nobody was requested for is postponed as often as need be", () => {
    const sentBack = { ok: false as const, reason: "left alone", retryAfterMs: 60_000, postponed: true };
    expect(nextRegistration(sentBack, 2, now)).toEqual({ dueAt: now + 60_000, failures: 2 });
    expect(nextRegistration({ ...sentBack, retryAfterMs: 0 }, 2, now)!.dueAt).toBeGreaterThan(now);
  });
});

describe("what a look asks for", () => {
  test("registrations again after a week, or when the name's servers changed", () => {
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

  test("a screenshot of a page of its own, once, and again when the page became another", () => {
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

describe("who hides something", () => {
  const given = { requested: false, status: "active" as const, now };
  const withPage = (changes: Partial<typeof plainPage>, more: Partial<Facts> = {}): Facts => ({
    ...seen,
    ...more,
    page: { ...plainPage, ...changes },
  });

  test("a page that says of itself that it is parked is captured all the same: the words may be for us alone", () => {
    const facts = withPage({ parked: "for sale" });
    expect(wantsScreenshot(nothingKnown, facts, given)).toBe(true);
    const copy = { ...facts, screenshot: { at: now, hash: "0", visualSimilarity: 1 } };
    const judged = severityOf({ type: "typosquatting", similarity: 0.8, facts: severityFactsOf(copy, now) });
    expect(judged.severity).toBe("high");
  });

  test("a form that asks for secrets counts whatever status it comes with", () => {
    const facts = withPage({ status: 404, asksForPassword: true });
    expect(severityFactsOf(facts, now).page).toMatchObject({ asksForPassword: true });
    expect(wantsScreenshot(nothingKnown, facts, given)).toBe(true);
    expect(severityFactsOf(withPage({ status: 404 }), now).page).toBeUndefined();
  });

  test("a redirect whose end is not seen says nothing for the name, keeps its reason, and is captured", () => {
    const bare = { ...plainPage, status: 302, unseen: "it redirects in a loop" };
    const facts = mergeFacts(seen, { page: { ok: true, page: bare } }, now);
    expect(facts.unknown.page).toBe("it redirects in a loop");
    expect(severityFactsOf(facts, now).page).toBeUndefined();
    expect(wantsScreenshot(nothingKnown, facts, given)).toBe(true);
  });

  test("what leads us to the original and a browser elsewhere does not lead there", () => {
    const facts = withPage({ redirectsToProtected: true });
    expect(severityFactsOf(facts, now).page!.redirectsToOwner).toBe(true);
    const screenshot = { at: now, hash: "0", visualSimilarity: 1, atOriginal: false };
    const cloaked = { ...facts, screenshot };
    expect(severityFactsOf(cloaked, now).page).toMatchObject({
      redirectsToOwner: false,
      visualSimilarity: 1,
    });
    const honest = { ...facts, screenshot: { ...screenshot, atOriginal: true } };
    expect(severityFactsOf(honest, now).page!.redirectsToOwner).toBe(true);
  });

  test("name servers of a sinkhole or parking service that the registry knows nothing of are not believed", () => {
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
