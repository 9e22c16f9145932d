import { afterEach, describe, expect, test } from "bun:test";
import { keyExpiresSoonMs } from "../../../src/access/keys/keys.ts";
import type { BackupStatus } from "../../../src/operations/backups/running/backups.ts";
import { toPlainTime } from "../../../src/platform/lib/clock.ts";
import {
  concernsOf,
  feedSilentMs,
  conditionConcerns,
  growthConcerns,
  reloadConcerns,
} from "../../../src/web/console/pages/overview/attention.ts";
import { manualClock } from "../../support/appliance.ts";
import { openConsoleApp, type ConsoleApp } from "../../support/console.ts";
import { addThreats, secretsPage } from "../../support/console-threats.ts";
import { analyst } from "../../support/stores.ts";

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

/** Returns the ids of the threats that a list shows. */
const idsIn = (html: string) => [...html.matchAll(/name="id" value="(thr_[^"]+)"/g)].map(([, id]) => id!);

describe("the overview", () => {
  /** Returns the targets of all links in the content of a page. */
  const linksIn = (html: string) => [
    ...new Set(
      [...html.slice(html.indexOf("<main")).matchAll(/href="(\/console[^"]*)"/g)].map(([, path]) => path!),
    ),
  ];

  test("leads to the setup of a new appliance, with links that work", async () => {
    const { html, text } = await overviewOf({});
    expect(text).toMatch(/Finish setting up 5 of 5 steps left\. Next: protect a domain\. .*Continue/);
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
    while (!html.includes("Problem with feed nrd")) ({ html } = await visitor.get("/console"));
    const start = html.indexOf('class="todo"');
    const concerns = html
      .slice(start, html.indexOf("</ul>", start))
      .match(/<a class="btn[^"]*" href="[^"]+"/g);
    expect(concerns).toHaveLength(6);
    for (const path of linksIn(html).map((one) => one.replaceAll("&amp;", "&")))
      expect([path, (await visitor.get(path)).status]).toEqual([path, 200]);
  });

  test("says how many high-severity threats are to decide, why to hurry, and shows the newest ones", async () => {
    const clock = manualClock();
    opened = openConsoleApp({ clock, config: domain });
    const page = secretsPage;
    const [newer, , decided] = addThreats(opened.app, clock.now(), [
      { domain: "examp1e-bank.com", similarity: 0.98, agoMs: 60_000, evidence: { page } },
      { domain: "exampie-bank.com", similarity: 0.98, agoMs: 2 * day },
      { domain: "examqle-bank.com", similarity: 0.98, agoMs: day },
      { domain: "example-bamk.com", similarity: 0.8 },
    ]);
    opened.app.threats.changeStatus([decided!], "resolved", { by: analyst });
    const visitor = await opened.signedIn();
    const { html, text } = await visitor.get("/console");
    expect(text).toContain(
      "2 high-severity threats to decide 1 asks for a password or a card. The oldest was first seen 2 days ago. Start triage",
    );
    opened.app.database.sqlite.run(
      `update threats set assignee_seq = 1, due_at = ${clock.now() - 3 * day}, site_state = 'back'`,
    );
    const worked = await visitor.get("/console");
    for (const concern of [
      // The decided one has nothing left to do.
      "3 sites came back They were down and are up again. Review",
      "3 threats are overdue The first was due 3 days ago. Review",
      "3 threats are assigned to you Open",
    ])
      expect(worked.text).toContain(concern);
    expect(worked.html.match(/btn[^"]* primary/g)).toHaveLength(1);
    expect(html.match(/btn[^"]* primary/g)).toHaveLength(1);
    const links = [...html.matchAll(/href="\/console\/threats\/(thr_[^"?]+)\?severity=high/g)].map(
      ([, id]) => id!,
    );
    expect(links).toHaveLength(2);
    expect(links[0]).toBe(newer!);
    const { seq } = opened.app.threats.get(decided!)!;
    const fresh = /data-fresh="([^"]+)" data-count="0" hidden/.exec(html)![1]!.replaceAll("&amp;", "&");
    expect(fresh).toContain(`since=${seq + 1}`);
    addThreats(opened.app, clock.now(), [{ domain: "examp1e-bank.net", similarity: 0.98 }]);
    const announced = await visitor.get(fresh);
    expect(announced.html).toContain('<a href="/console/threats?severity=high&amp;sort=first_seen">');
    expect(announced.text).toContain("1 new, show");
    expect((await visitor.get("/console/threats?severity=high")).text).toContain("3 of 3");
  });

  test("says in one line when everything last worked, and what does not", async () => {
    const clock = manualClock();
    opened = openConsoleApp({
      clock,
      config: `${domain}\n[[feeds]]\nname = "nrd"\npath = "no/such/folder"\n`,
    });
    const { app } = opened;
    const line = async () => {
      const { html } = await (await opened!.signedIn()).get("/console");
      const start = html.indexOf('class="well"');
      const text = html.slice(start, html.indexOf("</ul>", start)).replace(/<[^>]*>/g, " ");
      return text
        .slice(text.indexOf(">") + 1)
        .replace(/\s+/g, " ")
        .trim();
    };
    expect(await line()).toBe(
      "Last scan none yet Feeds nothing read yet Deliveries nobody is notified Backup none on record",
    );
    app.database.sqlite.run(
      `insert into scans (id, "trigger", protected_domains, status, started_at, completed_at)
       values ('scn_01h455vb4pex5vsknk084sn02q', 'schedule', '[]', 'completed', ${clock.now() - 3_600_000}, ${clock.now()})`,
    );
    app.auditLog.record(analyst, "backup.make", null);
    app.webhooks.endpoints.add({ name: "soc", url: "https://soc.example/hook", events: [] }, { by: analyst });
    for (const feed of app.feeds.sources) feed.start();
    while (!(await line()).includes("1 of 1 failing"));
    expect(await line()).toBe(
      "Last scan 11:00 Feeds 1 of 1 failing Deliveries 1 without failures Backup 12:00",
    );
    app.database.sqlite.run(`update recipients set consecutive_failures = 3, failing_since = ${clock.now()}`);
    clock.advance(2 * day);
    expect(await line()).toContain("Last scan 2 days ago");
    expect(await line()).toContain("Deliveries 1 of 1 recipient failing Backup 2 days ago");
  });

  test("shows for each protected domain what is new, and each number is that of the view behind it", async () => {
    const clock = manualClock();
    opened = openConsoleApp({
      clock,
      config: `${domain}\n[[protected_domains]]\ndomain = "example-shop.com"\n`,
    });
    const ages = [0, 1, 6, 8, 9, 20, 33, 60];
    addThreats(
      opened.app,
      clock.now(),
      ages.map((days, index) => ({
        domain: `example-bank-${index}.com`,
        similarity: index === 0 ? 0.98 : 0.8,
        agoMs: days * day,
      })),
    );
    const visitor = await opened.signedIn();
    const { html, text } = await visitor.get("/console");
    expect(text).toContain("example-bank.com 8 to decide 3 new in 7 days 1 more than the week before");
    expect(text).toContain("1 more protected domain");
    expect(html).toMatch(
      /<svg class="spark full"[^>]*aria-label="New threats of example-bank.com per day: 6 in 30 days/,
    );
    const cells = [...html.matchAll(/<a class="h\d" href="([^"]*)"[^>]*>(\d+)<\/a>/g)];
    const bars = [
      ...html.matchAll(
        /<th scope="row"><a class="ink" href="([^"]*sort=first_seen[^"]*)"[\s\S]*?<td class="r">(\d+)/g,
      ),
    ];
    expect(cells.map(([, , count]) => Number(count)).reduce((sum, count) => sum + count)).toBe(ages.length);
    expect(bars.map(([, , count]) => count)).toEqual(["1", "1", "1", "5"]);
    for (const [, path, count] of [...cells, ...bars]) {
      const view = await visitor.get(path!.replaceAll("&amp;", "&"));
      expect([path, idsIn(view.html).length]).toEqual([path, Number(count)]);
    }
  });

  test("shows the median time to decide of this week and of earlier ones", async () => {
    const clock = manualClock();
    opened = openConsoleApp({ clock, config: domain });
    const decide = (name: string, tookMs: number) => {
      const [id] = addThreats(opened!.app, clock.now(), [{ domain: name }]);
      clock.advance(tookMs);
      opened!.app.threats.changeStatus([id!], "resolved", { by: analyst });
    };
    for (const week of [1, 2, 3]) {
      decide(`example-bank-a${week}.com`, week * 3_600_000);
      decide(`example-bank-b${week}.com`, week * 7_200_000);
      clock.advance(7 * day);
    }
    const visitor = await opened.signedIn();
    const before = await visitor.get("/console");
    expect(before.text).toContain(
      "Time to decide Recent decisions No decisions this week 4 h 30 min in the week of 26 Jan",
    );
    decide("example-bank-c.com", 38 * 60_000);
    const { html, text } = await visitor.get("/console");
    expect(text).toContain("38 min median this week, 1 decision 4 h 30 min in the week of 26 Jan");
    expect(html).toContain(
      'aria-label="Median time to decide by week: 12 Jan 1 h 30 min, 19 Jan 3 h, 26 Jan 4 h 30 min, 2 Feb 38 min"',
    );
    expect(text).toContain("As a table");
  });

  test("shows numbers in place of charts while there are fewer than three days of data", async () => {
    const clock = manualClock();
    opened = openConsoleApp({ clock, config: domain });
    addThreats(opened.app, clock.now(), [{ domain: "example-bamk.com", similarity: 0.8, agoMs: day }]);
    const visitor = await opened.signedIn();
    const first = await visitor.get("/console");
    expect(first.text).toContain("1 new in 7 days");
    expect(first.html).not.toMatch(/class="(spark|heat|chart)/);
    clock.advance(2 * day);
    expect((await (await opened.signedIn()).get("/console")).html).toContain('class="spark');
  });

  test("shows who hosts the active threats, and each bar links to them", async () => {
    const clock = manualClock();
    opened = openConsoleApp({ clock, config: domain });
    addThreats(opened.app, clock.now(), [
      { domain: "example-bank-a.com", evidence: {} },
      { domain: "example-bank-b.com", evidence: {} },
      { domain: "example-bank-c.com" },
    ]);
    const visitor = await opened.signedIn();
    const { html, text } = await visitor.get("/console");
    expect(text).toContain(
      "Who hosts it active threats Registrar Active threats by registrar Registrar, Inc. 2",
    );
    for (const view of ["registrar=Registrar%2C+Inc.", "nameservers=example.net", "network=192.0.2.0%2F24"]) {
      expect(html).toContain(`href="/console/threats?${view}"`);
      expect(idsIn((await visitor.get(`/console/threats?${view}`)).html)).toHaveLength(2);
    }
  });

  test("reports that nothing needs attention when that is the case", async () => {
    const clock = manualClock();
    opened = openConsoleApp({ clock, config: domain });
    addThreats(opened.app, clock.now(), [{ domain: "example-bamk.com", similarity: 0.8 }]);
    await opened.app.start();
    expect((await (await opened.signedIn()).get("/console")).text).toContain("Nothing needs attention.");
  });

  test("shows the progress of a running scan, and nothing when no scan is running", async () => {
    opened = openConsoleApp({ config: domain });
    const visitor = await opened.signedIn();
    const before = await visitor.get("/console/overview/scan");
    expect(before.html).toBe('<div id="scan-now" hidden></div>');
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
    while (!html.includes("Problem with feed nrd")) ({ html } = await visitor.get("/console"));
  });
});

test("the overview shows what needs attention also if the threats cannot be read", async () => {
  opened = openConsoleApp({ config: domain });
  const visitor = await opened.signedIn();
  opened.app.database.sqlite.run("ALTER TABLE threats RENAME TO unreadable");
  const { status, text } = await visitor.get("/console");
  expect(status).toBe(200);
  expect(text).toContain("Not ready: schedulers not running");
  expect(text).toContain("The threats cannot be read");
});

describe("the list of concerns", () => {
  const now = Date.UTC(2026, 0, 15);
  const healthy: Parameters<typeof concernsOf>[0] = {
    now,
    readiness: { ready: true, checks: { database: "ok", disk: "ok", schedulers: "ok" }, unknown: [] },
    untrustedProxy: undefined,
    database: { problem: undefined, lastError: null },
    recipients: [],
    sources: [],
    keys: [],
    lastScan: undefined,
    resolverProblem: null,
    archiveProblem: null,
    others: [],
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
    queued: () => 38,
  };
  test("contains a configuration file that cannot be applied, and settings that need a restart", () => {
    const failed = { result: "failed" as const, errors: ["c.toml:2: log.level: found 1"], restart: [] };
    expect(reloadConcerns(failed)).toMatchObject([
      { tone: "bad", title: "The configuration file cannot be applied" },
    ]);
    const applied = { result: "applied" as const, errors: [], restart: ["server.listen"] };
    expect(reloadConcerns(applied)).toMatchObject([
      {
        tone: "warn",
        title: "1 changed setting needs a restart",
        cause: "The configuration file has new values for server.listen.",
      },
    ]);
  });

  test("contains a damaged database, a full disk, a failed and a missing backup, and certificates that end", () => {
    const status = {
      completed: { at: now - 3 * day },
      failure: { at: now - day, error: "no space left on device" },
      foreign: null,
      overdueSince: now - day,
      schedule: "0 0 3 * * *",
    };
    const backups = { copies: { latest: () => undefined }, status: () => status as BackupStatus };
    const certificate = (use: string, days: number) => ({
      use,
      path: "/tls/a.pem",
      endsAt: now + days * day,
    });
    const concerns = conditionConcerns({
      backups,
      certificates: [certificate("a", -1), certificate("b", 3), certificate("c", 30)],
      database: {
        disk: { freeBytes: 1, missingBytes: 1, level: "full", text: "1 MiB free" },
        quickCheck: { at: now, result: "Tree 30 page 133: free space" },
      },
      now,
    });
    expect(concerns.map(({ tone, title }) => `${tone}: ${title}`)).toEqual([
      "bad: The database file is damaged",
      "bad: The disk of the database is full",
      "bad: The last backup failed",
      "bad: A scheduled backup is missing",
      "bad: The a has expired",
      "warn: The b expires in 3 days",
    ]);
    expect(concerns[0]!.cause).toStartWith(
      "The check of the whole file found: Tree 30 page 133: free space. No change is accepted. Stop",
    );
    expect(concerns[2]!.cause).toBe("No space left on device.");
    const calm = { ...status, failure: null, overdueSince: null } as BackupStatus;
    const quiet = {
      backups: { ...backups, status: () => calm },
      certificates: [],
      database: { disk: undefined, quickCheck: null },
      now,
    };
    expect(conditionConcerns(quiet)).toEqual([]);
  });

  test("contains a disk that will soon be full, unless the growth of the first days is all that is known", () => {
    const growth = { byStore: new Map(), bytesPerDay: 10, days: 7 };
    expect(growthConcerns(growth, 55)).toMatchObject([
      { tone: "warn", title: "At this rate, the disk is full in 5 days" },
    ]);
    expect(growthConcerns({ ...growth, days: 1 }, 55)).toEqual([]);
    expect([growthConcerns(growth, 150), growthConcerns(growth, undefined)]).toEqual([[], []]);
  });

  const unavailable = {
    failure: "status",
    error: "status 503",
    statusCode: 503,
    durationMs: 8,
    response: "",
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
      "contains a database error of the last day",
      {
        database: {
          problem: undefined,
          lastError: { at: now - 3 * 3_600_000, code: "SQLITE_FULL", text: "the disk is full" },
        },
      },
      ["Database error 3 hours ago: The disk is full."],
    ],
    [
      "does not contain an old database error",
      {
        database: {
          problem: undefined,
          lastError: { at: now - 2 * day, code: "x", text: "x" },
        },
      },
      [],
    ],
    [
      "names a part that is not ready, except for a full disk, which has its own concern",
      {
        readiness: {
          ready: false,
          checks: { database: "lost", disk: "nearly full", schedulers: "ok" },
          unknown: [],
        },
      },
      ["Not ready: database lost"],
    ],
    ["omits a working endpoint", { recipients: [endpoint] }, []],
    [
      "names a failing endpoint",
      { recipients: [{ ...endpoint, ...failing, lastFailure: unavailable }] },
      [
        "Webhook endpoint soc has failed for 2 h: It returns 503 Service Unavailable. 38 deliveries are queued.",
      ],
    ],
    [
      "omits an endpoint that a person disabled",
      { recipients: [{ ...endpoint, enabled: false, disabledReason: "operator" }] },
      [],
    ],
    [
      "names an endpoint that was disabled for failing",
      { recipients: [{ ...endpoint, enabled: false, disabledReason: "failing", disabledAt: now - day }] },
      ["Webhook endpoint soc was disabled 1 day ago: Every delivery failed. 38 deliveries are queued."],
    ],
    [
      "names a failing recipient of another channel",
      { recipients: [{ ...endpoint, ...failing, channel: "file", noun: "event file" }] },
      ["Event file soc has failed for 2 h: 4 deliveries failed in a row. 38 deliveries are queued."],
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
      [
        "Feed nrd last received new names 2 days ago: Nothing new for 2 days; usually something arrives every 60 min.",
      ],
    ],
    [
      "names a paused feed, and not what it misses meanwhile",
      { sources: [{ ...feed, problem: "no permission", pausedAt: now - 2 * 3_600_000 }] },
      [`Reading of feed nrd is paused: Nothing has been read since ${toPlainTime(now - 2 * 3_600_000)}.`],
    ],
    [
      "names a feed with an error",
      { sources: [{ ...feed, problem: "no permission" }] },
      ["Problem with feed nrd: No permission."],
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
      ["API key ci expired 1 day ago: Requests with it are rejected."],
    ],
    ["omits a revoked key", { keys: [{ ...key, expiresAt: now + day, revokedAt: now }] }, []],
    ["omits a key that expired long ago", { keys: [{ ...key, expiresAt: now - 30 * day }] }, []],
    [
      "names a failed scan",
      { lastScan: scan },
      ["The last scan, started 1 day ago, failed: No resolver responds."],
    ],
    [
      "names a proxy that is not trusted, and the setting",
      { untrustedProxy: "172.18.0.2" },
      ["A proxy at 172.18.0.2 is not in server.trusted_proxies: All its visitors count as one address."],
    ],
    [
      "names a scan with many unknown names",
      { lastScan: { ...scan, status: "completed", error: null, unknown: 51 } },
      [
        "The last scan, started 1 day ago, could not resolve 5% of the look-alikes: 51 of 1,000 got no definite response.",
      ],
    ],
    [
      "names resolvers that deny every name",
      { resolverProblem: "no resolver knows names" },
      ["Lookups in DNS fail: No resolver knows names."],
    ],
    [
      "names a problem of the archive of names",
      { archiveProblem: "the disk is nearly full (100 MiB free); names are not stored" },
      ["The archive of names has a problem: The disk is nearly full (100 MiB free); names are not stored."],
    ],
    ["omits a completed scan", { lastScan: { ...scan, status: "completed", error: null } }, []],
    [
      "escapes hidden characters in names and truncates long errors",
      { sources: [{ ...feed, name: "a\u202eb", problem: "x".repeat(10_000) }] },
      [`Problem with feed a\\u{202e}b: X${"x".repeat(158)}…`],
    ],
  ])("%s", (_, given, expected) => {
    expect(
      concernsOf({ ...healthy, ...given }).map(({ title, cause }) =>
        cause === null ? title : `${title}: ${cause}`,
      ),
    ).toEqual(expected);
  });
});
