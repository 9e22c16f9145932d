import { domainToASCII } from "node:url";
import { expect, test } from "bun:test";
import { createNameComparison } from "../../../../src/engines/detection/match/compare-names.ts";
import type { EventPayload } from "../../../../src/threats/events/payloads.ts";
import { plainText } from "../../../../src/messaging/content/plain-text.ts";
import type { NoticeContent } from "../../../../src/messaging/content/texts/content.ts";
import {
  beaconVisits,
  honeytokenVisits,
  scanEnded,
  scanStarted,
} from "../../../../src/messaging/content/texts/event-texts.ts";
import { consoleLinks } from "../../../../src/messaging/content/texts/links.ts";
import {
  changedThreats,
  digestOf,
  newThreats,
} from "../../../../src/messaging/content/texts/summary-texts.ts";
import { conditionChanged, testMessage } from "../../../../src/messaging/content/texts/system-texts.ts";
import {
  changedThreat,
  itemOf,
  newThreat,
  type ThreatData,
} from "../../../../src/messaging/content/texts/threat-texts.ts";
import {
  recipientPath,
  scanPath,
  scansPath,
  sourcesPath,
  systemPath,
  threatPath,
  threatsPath,
  trapPath,
} from "../../../../src/web/console/kit/paths.ts";
import { createdPath } from "../../../../src/web/console/threat-kit/filters.ts";

const links = consoleLinks("https://watch.example");
const compare = createNameComparison();
const text = (notice: NoticeContent) => plainText({ ...notice, id: "evt_1", at: "2026-01-31T12:00:00Z" });

const phishing: ThreatData = {
  id: "thr_1",
  domain: "examp1e-bank-login.com",
  protectedDomain: "example-bank.com",
  type: "combosquatting",
  severity: "high",
  status: "active",
  source: "certificate_transparency",
  firstSeen: Date.UTC(2026, 0, 31, 11, 58),
  reasons: [],
  severityReasons: [
    { code: "asks_for_secrets", params: { password: true, card: false } },
    { code: "newly_registered", params: { days: 2 } },
    { code: "name_near_miss", params: { similarity: 0.94 } },
    { code: "receives_mail", params: {} },
  ],
  verified: true,
  facts: {
    unknown: {},
    existence: {
      exists: "yes",
      addresses: ["192.0.2.7"],
      mailServers: ["mx.evil.example", "mx2.evil.example"],
      nameServers: [],
      wildcard: false,
    },
    registration: {
      created_at: "2026-01-29T10:00:00Z",
      registrar: "Cheap Names (cheap.example) https://x.example",
    },
    page: {
      finalUrl: "https://examp1e-bank-login.com/",
      redirects: [],
      status: 200,
      title: "Example Bank\nLog in @everyone http://evil.example",
      asksForPassword: true,
      asksForCard: false,
      namesBrand: true,
      redirectsToProtected: false,
    },
  },
  comparison: compare("examp1e-bank-login.com", "example-bank.com"),
};
/** Begins with a Cyrillic letter. */
const homographName = domainToASCII("\u0435xample-bank.com");
const homograph: ThreatData = {
  ...phishing,
  id: "thr_2",
  domain: homographName,
  type: "homograph",
  severity: "medium",
  source: "scan",
  severityReasons: [{ code: "not_in_dns", params: {} }],
  facts: {
    unknown: {},
    existence: { exists: "no", addresses: [], mailServers: [], nameServers: [], wildcard: false },
  },
  comparison: compare(homographName, "example-bank.com"),
};
const items = [itemOf(phishing, links), itemOf(homograph, links)];

test("a message about a threat compares the names and gives reasons and facts, all defanged", () => {
  expect(text(newThreat(phishing, { late: false, links }))).toMatchInlineSnapshot(`
    "High: examp1e-bank-login[.]com, look-alike of example-bank.com

    The page asks for a password. The domain was registered 2 days before the last check. The name is a near miss of the protected name (similarity 0.94).

    Look-alike: examp1e-bank-login[.]com
    Original: example-bank.com
    Difference: "1" in place of "l", adds "-login"
    Type: combosquatting
    Registered: 2026-01-29 with Cheap Names (cheap[.]example) hxxps[:]//x[.]example
    Page: "Example Bank Log in [at]everyone hxxp[:]//evil[.]example", asks for a password, names the brand
    Mail server: mx[.]evil[.]example and 1 more
    IP address: 192[.]0[.]2[.]7
    Found: 2026-01-31 11:58 UTC, by certificate transparency

    Open the threat: https://watch.example/console/threats/thr_1"
  `);
});

test("a message about a homograph names the letters that differ, and the punycode", () => {
  expect(text(newThreat(homograph, { late: true, links }))).toMatchInlineSnapshot(`
    "Medium: еxample-bank[.]com, look-alike of example-bank.com

    First seen on 2026-01-31 11:58 UTC; it has become more severe or was verified since. The name does not exist in DNS.

    Look-alike: еxample-bank[.]com
    Punycode: xn--xample-bank-nkj[.]com
    Original: example-bank.com
    Difference: "е" (U+0435, Cyrillic letter) in place of "e"
    Type: homograph
    Page: none: the name does not exist in DNS
    Found: 2026-01-31 11:58 UTC, by a scan

    Open the threat: https://watch.example/console/threats/thr_2"
  `);
});

test("a message about a page that imitates a brand gives its address without the recipient, and claims nothing about its name", () => {
  const page = {
    ...phishing.facts!.page!,
    firstUrl: "https://docs.google.com/forms/d/1?to=ann@example-bank.com",
  };
  const copied: ThreatData = {
    ...phishing,
    domain: "docs.google.com",
    type: "cloned_site",
    severityReasons: [{ code: "page_imitates", params: { score: 0.97 } }],
    facts: { ...phishing.facts!, page },
    comparison: null,
  };
  const { title, facts } = newThreat(copied, { late: false, links });
  expect(title).toBe("High: docs[.]google[.]com imitates example-bank.com");
  expect(facts).toContainEqual({ label: "Host", value: "docs[.]google[.]com" });
  expect(facts).toContainEqual({
    label: "Address",
    value: "hxxps[:]//docs[.]google[.]com/forms/d/1?to=[mailbox removed]",
  });
  const several = { ...newThreat(copied, { late: false, links }), items: [itemOf(copied, links)] };
  expect(text(several)).toContain(
    "- High: docs[.]google[.]com, imitates example-bank.com: page imitates the brand",
  );
});

test("a message about several threats counts them and lists the most severe", () => {
  const given = {
    bySeverity: { high: 12, medium: 0, low: 582 },
    byDomain: new Map([["example-bank.com", 594]]),
    items,
    origin: { importSeq: 7 },
  };
  expect(text(newThreats(given, links))).toMatchInlineSnapshot(`
    "594 new look-alikes of example-bank.com: 12 high, 582 low

    All were found by one import.

    - High: examp1e-bank-login[.]com: page asks for a password · mail server · newly registered
    - Medium: еxample-bank[.]com (xn--xample-bank-nkj[.]com): not in DNS
    and 592 more threats

    Open these threats: https://watch.example/console/threats?status=all&import=7"
  `);
  const domains = ["a", "b", "c", "d", "e", "f", "g"].map(
    (name, index) => [`${name}.example`, index + 1] as const,
  );
  const several = { ...given, byDomain: new Map(domains), items: [], origin: null };
  expect(newThreats(several, links).facts).toEqual([
    { label: "g.example", value: "7 threats" },
    { label: "f.example", value: "6 threats" },
    { label: "e.example", value: "5 threats" },
    { label: "d.example", value: "4 threats" },
    { label: "c.example", value: "3 threats" },
    { label: "2 other domains", value: "3 threats" },
  ]);
});

test("messages about changes of status say what the threats are now", () => {
  const resolved = changedThreat(
    { ...phishing, status: "resolved", facts: null, comparison: null },
    { links },
  );
  expect(resolved.tone).toBe("good");
  expect(text(resolved)).toMatchInlineSnapshot(`
    "Resolved: examp1e-bank-login[.]com, look-alike of example-bank.com

    Severity: high. First seen on 2026-01-31 11:58 UTC.

    Look-alike: examp1e-bank-login[.]com
    Original: example-bank.com
    Type: combosquatting
    Found: 2026-01-31 11:58 UTC, by certificate transparency

    Open the threat: https://watch.example/console/threats/thr_1"
  `);
  expect(changedThreat({ ...phishing, status: "false_positive" }, { links }).title).toBe(
    "False positive: examp1e-bank-login[.]com, look-alike of example-bank.com",
  );
  expect(changedThreat(phishing, { links })).toMatchObject({
    tone: "high",
    title: "Active again: examp1e-bank-login[.]com, look-alike of example-bank.com",
  });
  const changes = { resolved: 10, false_positive: 1, active: 1 };
  expect(text(changedThreats({ changes, items: items.slice(0, 1), total: 12 }, links)))
    .toMatchInlineSnapshot(`
    "12 threats changed: 10 resolved, 1 false positive, 1 active again

    - High: examp1e-bank-login[.]com, look-alike of example-bank.com: page asks for a password · mail server · newly registered
    and 11 more threats

    Open the threats: https://watch.example/console/threats"
  `);
});

test("a digest counts what is new, what changed, what is open, and names other events", () => {
  const data = {
    digest: "daily",
    created: {
      bySeverity: { high: 1, medium: 1, low: 12 },
      byDomain: new Map([
        ["example-bank.com", 13],
        ["example-shop.com", 1],
      ]),
      items,
      origin: null,
    },
    closedAlready: 2,
    changes: { resolved: 5, false_positive: 2, active: 0 },
    open: { high: 3, medium: 0, low: 120 },
    others: [
      { title: "Scan of example-bank.com completed: 3 new threats", count: 1 },
      { title: 'Honeytoken "vpn" was opened', count: 4 },
    ],
    othersMore: 0,
  } as const;
  expect(text(digestOf({ ...data, created: { ...data.created, items } }, links))).toMatchInlineSnapshot(`
    "Daily digest: 14 new threats (1 high), 5 resolved, 2 false positives, 5 other events

    New: 1 high, 1 medium, 12 low
    Already closed: 2 new threats
    Changed: 5 resolved, 2 false positives
    Open: 123 active threats: 3 high, 120 low
    Protected domains: example-bank.com (13) and example-shop.com (1)
    Event: Scan of example-bank.com completed: 3 new threats
    Event: Honeytoken "vpn" was opened (4 times)

    - High: examp1e-bank-login[.]com, look-alike of example-bank.com: page asks for a password · mail server · newly registered
    - Medium: еxample-bank[.]com (xn--xample-bank-nkj[.]com), look-alike of example-bank.com: not in DNS
    and 12 more threats

    Open the threats: https://watch.example/console/threats"
  `);
  const nothing = {
    bySeverity: { high: 0, medium: 0, low: 0 },
    byDomain: new Map(),
    items: [],
    origin: null,
  };
  const quiet = { ...data, digest: "hourly" as const, created: nothing, others: [], open: null };
  expect(digestOf(quiet, links).title).toBe(
    "Hourly digest: 5 resolved, 2 false positives, 2 new threats, already closed",
  );
  expect(digestOf({ ...quiet, closedAlready: 0 }, links)).toMatchObject({
    tone: "neutral",
    title: "Hourly digest: 5 resolved, 2 false positives",
  });
});

const visitor = {
  ip_address: "198.51.100.7",
  user_agent: "Mozilla/5.0 (see http://evil.example)",
  referrer: null,
  at: "2026-01-31T12:00:07.000Z",
};

test("messages about visits say where and by whom, and combine visits to one trap", () => {
  const visit: EventPayload["beacon.triggered"] = {
    beacon: { id: "bcn_1", name: "login page", protected_domain: "example-bank.com" },
    hit: { hostname: "evil.example", url: "https://evil.example/login?a=b", ...visitor },
    threat: { id: "thr_1" },
  };
  expect(text(beaconVisits({ latest: visit, count: 1 }, links))).toMatchInlineSnapshot(`
    "Beacon "login page": copy of example-bank.com opened on evil[.]example

    A visitor was shown a copy of the protected page.

    Page: hxxps[:]//evil[.]example/login?a=b
    IP address: 198[.]51[.]100[.]7
    User agent: Mozilla/5.0 (see hxxp[:]//evil[.]example)
    Time: 2026-01-31 12:00:07 UTC

    Open the threat: https://watch.example/console/threats/thr_1
    Open the beacon: https://watch.example/console/beacons/bcn_1"
  `);
  expect(beaconVisits({ latest: visit, count: 1_200 }, links).summary).toContain("1,200 times");
  const access = { token: { id: "tok_1", name: "vpn config", kind: "url" }, access: visitor };
  expect(text(honeytokenVisits({ latest: access, count: 3 }, links))).toMatchInlineSnapshot(`
    "Honeytoken "vpn config" was opened 3 times

    Any access indicates an intruder.

    IP address: 198[.]51[.]100[.]7
    User agent: Mozilla/5.0 (see hxxp[:]//evil[.]example)
    Time: 2026-01-31 12:00:07 UTC

    Open the honeytoken: https://watch.example/console/honeytokens/tok_1"
  `);
});

test("messages about scans say what was found, or why a scan failed", () => {
  const scan = {
    id: "scn_1",
    protected_domains: ["example-bank.com", "example-shop.com", "example.org", "example.net"],
    trigger: "schedule" as const,
    started_at: "2026-01-31T11:00:00Z",
  };
  expect(scanStarted({ scan: { ...scan, status: "running" } }, links).title).toBe(
    "Scan of example-bank.com, example-shop.com and 2 other domains started",
  );
  const ended = {
    ...scan,
    completed_at: "2026-01-31T12:00:00Z",
    candidates: 12_000,
    resolving: 40,
    threats_found: 31,
    threats_created: 3,
  };
  expect(text(scanEnded({ scan: { ...ended, status: "completed" } }, links))).toMatchInlineSnapshot(`
    "Scan of example-bank.com, example-shop.com and 2 other domains completed: 3 new threats

    Names looked up: 12,000
    Names that resolve: 40
    Look-alikes: 31, of which 3 are new

    Open the scan: https://watch.example/console/scans/scn_1"
  `);
  expect(
    scanEnded({ scan: { ...ended, status: "failed", error: "no response from 192.0.2.53" } }, links),
  ).toMatchObject({ title: expect.stringContaining("failed"), summary: "no response from 192[.]0[.]2[.]53" });
});

test("a condition has the same key when it begins and when it ends", () => {
  const condition = {
    key: "source:urlhaus",
    title: "Source urlhaus stopped",
    text: "The last three fetches failed.",
  };
  const began = conditionChanged({ ...condition, phase: "began" }, links);
  expect(text(began)).toMatchInlineSnapshot(`
    "Source urlhaus stopped

    The last three fetches failed.

    Open the system page: https://watch.example/console/settings/system"
  `);
  const ended = conditionChanged(
    { ...condition, phase: "ended", title: "Source urlhaus runs again", text: "" },
    links,
  );
  expect([began.tone, ended.tone]).toEqual(["medium", "good"]);
  const linked = conditionChanged({ ...condition, phase: "began", page: { channel: "chn_1" } }, links);
  expect(linked.links).toEqual([links.channel("chn_1")]);
  expect(ended.condition).toEqual({ key: began.condition!.key, phase: "ended" });
});

test("a test message names the channel", () => {
  expect(text(testMessage("team chat", links))).toMatchInlineSnapshot(`
    "Test message from phishwatch

    If you can read this, the channel "team chat" works.

    Open the system page: https://watch.example/console/settings/system"
  `);
});

test("titles stay within 150 characters, whatever names attackers choose", () => {
  const long = `${"login-".repeat(10)}examp1e.${"a".repeat(60)}.${"b".repeat(60)}.example`;
  const threat = {
    ...phishing,
    domain: long,
    protectedDomain: `${"c".repeat(63)}.example`,
    severity: "medium" as const,
  };
  const { title } = newThreat(threat, { late: false, links });
  expect(title.length).toBeLessThanOrEqual(150);
  expect(title).toContain("look-alike of ccc");
});

test("links of messages lead to the pages of the console", () => {
  const path = (url: string) => url.replace("https://watch.example", "");
  expect(path(links.threat("thr_1").url)).toBe(threatPath("thr_1"));
  expect(path(links.threats().url)).toBe(threatsPath);
  expect(path(links.threats({ importSeq: 7 }).url)).toBe(createdPath({ importSeq: 7 }));
  expect(path(links.threats({ scanSeq: 7 }).url)).toBe(createdPath({ scanSeq: 7 }));
  expect(path(links.scan("scn_1").url)).toBe(scanPath("scn_1"));
  expect(path(links.system().url)).toBe(systemPath);
  expect(path(links.sources().url)).toBe(sourcesPath);
  expect(path(links.scans().url)).toBe(scansPath);
  expect(path(links.endpoint("whk_1").url)).toBe(recipientPath({ channel: "webhook", id: "whk_1" })!);
  expect(path(links.channel("chn_1").url)).toBe(recipientPath({ channel: "slack", id: "chn_1" })!);
  expect(path(links.trap("beacon", "bcn_1").url)).toBe(trapPath("beacon", "bcn_1"));
  expect(path(links.trap("honeytoken", "tok_1").url)).toBe(trapPath("honeytoken", "tok_1"));
});
