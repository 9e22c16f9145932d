import { afterEach, describe, expect, test } from "bun:test";
import { toPlainTime } from "../../src/lib/clock.ts";
import { concernsOf, feedSilentMs, keyExpiresSoonMs } from "../../src/console/pages/overview/attention.ts";
import { manualClock } from "../support/appliance.ts";
import { openConsoleApp, type ConsoleApp } from "../support/console.ts";
import { addThreats } from "../support/console-threats.ts";

const day = 24 * 3_600_000;
const domain = `
[[protected_domains]]
domain = "example-bank.com"
`;

let opened: ConsoleApp | undefined;
afterEach(async () => {
  await opened?.dispose();
  opened = undefined;
});

async function overviewOf(options: Parameters<typeof openConsoleApp>[0], path = "/console") {
  opened = openConsoleApp(options);
  return (await opened.signedIn()).get(path);
}

describe("the overview", () => {
  /** Returns the targets of all links in the content of a page. */
  const linksIn = (html: string) => [
    ...new Set(
      [...html.slice(html.indexOf("<main")).matchAll(/href="(\/console[^"]*)"/g)].map(([, path]) => path!),
    ),
  ];

  test("lists the first steps on a new appliance, with links that work", async () => {
    const { html, text } = await overviewOf({});
    expect(text).toContain("First steps");
    expect(html).not.toContain('class="chart"');
    const visitor = await opened!.signedIn();
    expect(linksIn(html).length).toBeGreaterThanOrEqual(6);
    for (const path of linksIn(html)) expect([path, (await visitor.get(path)).status]).toEqual([path, 200]);
  });

  test("links every concern to a page that exists", async () => {
    const now = Date.now();
    opened = openConsoleApp({ config: `${domain}\n[[feeds]]\nname = "nrd"\npath = "no/such/folder"\n` });
    const { app } = opened;
    addThreats(app, now, [{ domain: "examp1e-bank.com", similarity: 0.98 }]);
    app.keys.create(
      { name: "ci", expiresAt: now + day },
      { by: { channel: "system", name: null, address: null } },
    );
    app.webhooks.endpoints.add(
      { name: "soc", url: "https://soc.example/hook", events: [] },
      { by: { channel: "system", name: null, address: null } },
    );
    app.database.sqlite.run(`update recipients set consecutive_failures = 3, failing_since = ${now - day}`);
    app.database.sqlite.run(
      `insert into scans (id, "trigger", protected_domains, status, started_at, completed_at)
       values ('scn_01h455vb4pex5vsknk084sn02q', 'schedule', '[]', 'failed', ${now - day}, ${now})`,
    );
    const visitor = await opened.signedIn();
    for (const feed of app.feeds.sources) feed.start();
    let html = "";
    while (!html.includes("Feed nrd: ")) ({ html } = await visitor.get("/console"));
    const concerns = linksIn(html.slice(0, html.indexOf("</ul>", html.indexOf('class="attention"'))));
    expect(concerns).toHaveLength(6);
    for (const path of linksIn(html).map((one) => one.replaceAll("&amp;", "&")))
      expect([path, (await visitor.get(path)).status]).toEqual([path, 200]);
  });

  test("counts new undecided high-severity threats and lists the newest ones of any age", async () => {
    const clock = manualClock();
    opened = openConsoleApp({ clock, config: domain });
    const [newer, , decided] = addThreats(opened.app, clock.now(), [
      { domain: "examp1e-bank.com", similarity: 0.98, agoMs: 60_000 },
      { domain: "exampie-bank.com", similarity: 0.98, agoMs: 2 * day },
      { domain: "examqle-bank.com", similarity: 0.98, agoMs: day },
      { domain: "exarnple-bank.com", similarity: 0.98, agoMs: 20 * day },
      { domain: "example-bamk.com", similarity: 0.8 },
    ]);
    opened.app.threats.changeStatus([decided!], "resolved", {
      by: { channel: "system", name: null, address: null },
    });
    const visitor = await opened.signedIn();
    const { html, text } = await visitor.get("/console");
    expect(text).toContain("2 new high-severity threats to triage from the last 7 days");
    const links = [...html.matchAll(/href="\/console\/threats\/(thr_[^"]+)"/g)].map(([, id]) => id!);
    expect(links).toHaveLength(3);
    expect(links[0]).toBe(newer!);
    expect(links).not.toContain(decided!);
    expect(text).not.toContain("View all");
    const [, path] = /href="(\/console\/threats\?severity=high[^"]*)"/.exec(html)!;
    const list = await visitor.get(path!.replaceAll("&amp;", "&"));
    expect(list.text).toContain("1–2 of 2");

    const names = ["exampla-bank.com", "examplf-bank.com", "examp-le-bank.com"];
    addThreats(
      opened.app,
      clock.now(),
      names.map((name) => ({ domain: name, similarity: 0.98, agoMs: 30 * day })),
    );
    expect((await visitor.get("/console")).text).toContain("View all 6 active high-severity threats");
    const all = await visitor.get("/console/threats?severity=high&sort=first_seen");
    expect(all.text).toContain("1–6 of 6");
  });

  test("shows threats by day in a chart and in a table that links each day to its threats", async () => {
    const clock = manualClock();
    opened = openConsoleApp({ clock, config: domain });
    addThreats(opened.app, clock.now(), [
      { domain: "examp1e-bank.com", similarity: 0.98, agoMs: 3 * day },
      { domain: "exampie-bank.com", similarity: 0.98, agoMs: 3 * day },
      { domain: "example-bamk.com", similarity: 0.8, agoMs: 40 * day },
    ]);
    const visitor = await opened.signedIn();
    const { html, text } = await visitor.get("/console");
    expect(text).toContain("2 threats, by day");
    expect(html).toMatch(/<rect class="of-high"[^>]*><title>2026-01-12: 2 high<\/title>/);
    expect(html).toContain('href="/console/threats?status=all&amp;from=2026-01-12&amp;to=2026-01-12"');
    expect((await visitor.get("/console?days=90")).text).toContain("3 threats, by day");
    expect((await visitor.get("/console?days=9999999")).text).toContain("2 threats, by day");
    expect((await visitor.get("/console/threats?status=all&from=2026-01-12&to=2026-01-12")).text).toContain(
      "1–2 of 2",
    );
  });

  test("reports that nothing needs attention when that is the case", async () => {
    const clock = manualClock();
    opened = openConsoleApp({ clock, config: domain });
    addThreats(opened.app, clock.now(), [{ domain: "example-bamk.com", similarity: 0.8 }]);
    opened.app.start();
    expect((await (await opened.signedIn()).get("/console")).text).toContain("Nothing needs attention.");
  });

  test("shows the progress of a running scan, and nothing when no scan is running", async () => {
    opened = openConsoleApp({ config: domain });
    const visitor = await opened.signedIn();
    const before = await visitor.get("/console/overview/scan");
    expect(before.html).toBe('<div id="scan-now"></div>');
    const { database } = opened.app;
    database.sqlite.run(
      `insert into scans (id, "trigger", protected_domains, status, started_at, planned, candidates)
       values ('scn_01h455vb4pex5vsknk084sn02q', 'schedule', '[]', 'running', ${Date.now() - 10_000}, 1000, 250)`,
    );
    const during = await visitor.get("/console/overview/scan");
    expect(during.html).toContain('data-refresh="/console/overview/scan"');
    expect(during.text).toContain("250 of 1,000 names checked");
  });

  test("reports a missing feed and an appliance that is not ready", async () => {
    const { text } = await overviewOf({
      config: `${domain}\n[[feeds]]\nname = "nrd"\npath = "no/such/folder"\n`,
    });
    expect(text).toContain("Not ready: schedulers not running");
    for (const feed of opened!.app.feeds.sources) feed.start();
    const visitor = await opened!.signedIn();
    let html = "";
    while (!html.includes("Feed nrd: ")) ({ html } = await visitor.get("/console"));
  });
});

describe("the list of concerns", () => {
  const now = Date.UTC(2026, 0, 15);
  const healthy: Parameters<typeof concernsOf>[0] = {
    now,
    readiness: { ready: true, checks: { database: "ok", disk: "ok", schedulers: "ok" } },
    untrustedProxy: undefined,
    database: { problem: undefined, lastError: null, disk: undefined },
    recipients: [],
    sources: [],
    keys: [],
    lastScan: undefined,
    resolverProblem: null,
    archiveProblem: null,
  };
  const endpoint = {
    id: "whk_1",
    channel: "webhook",
    noun: "webhook endpoint",
    name: "soc",
    enabled: true,
    disabledReason: null,
    disabledAt: null,
    consecutiveFailures: 0,
    failingSince: null,
    lastFailure: null,
  };
  const key = { name: "ci", revokedAt: null, expiresAt: null };
  const feed = {
    kind: "feed",
    name: "nrd",
    overdue: null,
    problem: null,
    latest: null,
    lastReadAt: null,
    pausedAt: null,
  };
  const failing = { consecutiveFailures: 4, failingSince: now - 2 * 3_600_000 };
  const scan = {
    status: "failed" as const,
    error: "no resolver responds",
    startedAt: now - day,
    candidates: 1_000,
    unknown: 50,
  };

  test.each<[string, Partial<typeof healthy>, string[]]>([
    ["is empty when all is well", {}, []],
    [
      "contains a disk that is nearly full, and a database error of the last day (D3, D8)",
      {
        database: {
          problem: undefined,
          lastError: { at: now - 3 * 3_600_000, code: "SQLITE_FULL", text: "the disk is full" },
          disk: { freeBytes: 100 << 20, missingBytes: 1, level: "nearly full", text: "100 MiB free" },
        },
      },
      [
        "The disk of the database is nearly full: 100 MiB free",
        "Database error 3 hours ago: the disk is full",
      ],
    ],
    [
      "does not contain an old database error",
      {
        database: {
          problem: undefined,
          lastError: { at: now - 2 * day, code: "x", text: "x" },
          disk: undefined,
        },
      },
      [],
    ],
    [
      "names a disk that is nearly full",
      { readiness: { ready: false, checks: { database: "ok", disk: "nearly full", schedulers: "ok" } } },
      ["Not ready: disk nearly full"],
    ],
    ["omits a working endpoint", { recipients: [endpoint] }, []],
    [
      "names a failing endpoint",
      { recipients: [{ ...endpoint, ...failing }] },
      ["Webhook endpoint soc is failing: 4 consecutive failures, the first 2 hours ago"],
    ],
    [
      "omits an endpoint that a person disabled",
      { recipients: [{ ...endpoint, enabled: false, disabledReason: "operator" }] },
      [],
    ],
    [
      "names an endpoint that was disabled for failing",
      { recipients: [{ ...endpoint, enabled: false, disabledReason: "failing", disabledAt: now - day }] },
      ["Webhook endpoint soc was disabled 1 day ago: every delivery failed"],
    ],
    [
      "names a failing recipient of another channel",
      { recipients: [{ ...endpoint, ...failing, channel: "file", noun: "event file" }] },
      ["Event file soc is failing: 4 consecutive failures, the first 2 hours ago"],
    ],
    ["omits a feed with recent files", { sources: [{ ...feed, lastReadAt: now - day }] }, []],
    [
      "names a silent feed",
      { sources: [{ ...feed, lastReadAt: now - feedSilentMs - day }] },
      ["Feed nrd last received new names 8 days ago"],
    ],
    [
      "names an overdue feed",
      { sources: [{ ...feed, lastReadAt: now - 2 * day, overdue: { usualMs: day / 24, sinceMs: 2 * day } }] },
      ["Feed nrd last received new names 2 days ago"],
    ],
    [
      "names a paused feed, and not what it misses meanwhile",
      { sources: [{ ...feed, problem: "no permission", pausedAt: now - 2 * 3_600_000 }] },
      [`Feed nrd has been paused since ${toPlainTime(now - 2 * 3_600_000)} and reads nothing`],
    ],
    [
      "names a feed with an error",
      { sources: [{ ...feed, problem: "no permission" }] },
      ["Feed nrd: no permission"],
    ],
    [
      "omits keys that do not expire soon",
      { keys: [key, { ...key, expiresAt: now + keyExpiresSoonMs + 1 }] },
      [],
    ],
    [
      "names a key that expires soon",
      { keys: [{ ...key, expiresAt: now + 3 * day }] },
      ["API key ci expires in 3 days"],
    ],
    [
      "names a key that expired recently",
      { keys: [{ ...key, expiresAt: now - day }] },
      ["API key ci expired 1 day ago"],
    ],
    ["omits a revoked key", { keys: [{ ...key, expiresAt: now + day, revokedAt: now }] }, []],
    ["omits a key that expired long ago", { keys: [{ ...key, expiresAt: now - 30 * day }] }, []],
    [
      "names a failed scan",
      { lastScan: scan },
      ["The last scan, started 1 day ago, failed: no resolver responds"],
    ],
    [
      "names a proxy that is not trusted, and the setting (security 6)",
      { untrustedProxy: "172.18.0.2" },
      ["A proxy at 172.18.0.2 is not in server.trusted_proxies, so all its visitors count as one address"],
    ],
    [
      "names a scan with many unknown names (B1)",
      { lastScan: { ...scan, status: "completed", error: null, unknown: 51 } },
      ["The last scan, started 1 day ago, could not resolve 51 of 1,000 look-alikes (5 %)"],
    ],
    [
      "names resolvers that deny every name (B1)",
      { resolverProblem: "no resolver knows names" },
      ["Lookups in DNS fail: no resolver knows names"],
    ],
    [
      "names a problem of the archive of names",
      { archiveProblem: "the disk is nearly full (100 MiB free); names are not stored" },
      ["Archive of names: the disk is nearly full (100 MiB free); names are not stored"],
    ],
    ["omits a completed scan", { lastScan: { ...scan, status: "completed", error: null } }, []],
    [
      "escapes hidden characters in names and truncates long errors",
      { sources: [{ ...feed, name: "a\u202eb", problem: "x".repeat(10_000) }] },
      [`Feed a\\u{202e}b: ${"x".repeat(159)}…`],
    ],
  ])("%s", (_, given, expected) => {
    expect(concernsOf({ ...healthy, ...given }).map(({ text }) => text)).toEqual(expected);
  });
});
