import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { summaryOf } from "../../../src/web/console/pages/sources/certificate-logs.tsx";
import { healthOf } from "../../../src/web/console/pages/sources/origins.ts";
import { dayMs, startOfDay } from "../../../src/platform/lib/clock.ts";
import { sourceActivity } from "../../../src/intake/sources/activity/tables.ts";
import type { CertificateLogStatus } from "../../../src/intake/sources/certificate-logs/status.ts";
import { openConsoleApp, type ConsoleApp, type Visitor } from "../../support/console.ts";
import { until } from "../../support/until.ts";

let app: ConsoleApp;
let visitor: Visitor;
let folder: string;
beforeAll(async () => {
  app = openConsoleApp({
    config: `[[protected_domains]]
domain = "example-bank.com"
[[feeds]]
name = "nrd"
path = "nrd"`,
  });
  folder = join(app.folder, "nrd");
  mkdirSync(folder);
  for (const feed of app.app.feeds.sources) feed.start();
  visitor = await app.signedIn();
});
afterAll(() => app.dispose());

const actions = () =>
  app.app.auditLog
    .list({}, { limit: 20, offset: 0 })
    .filter(({ action }) => action.startsWith("source."))
    .map(({ action, subject, channel }) => [action, subject, channel]);
const feed = () => app.app.feeds.status()[0]!;

test("A feed is paused and resumed with buttons that work without script, and the list, its page and the overview say so", async () => {
  await until(() => feed().state === "watching", "the feed is watched");
  const paused = await visitor.submit("/console/sources/feed/nrd/pause", { from: "list" });
  expect(paused.text).toContain("Feed nrd: paused. The position is kept.");
  expect(paused.text).toMatch(
    /Feed nrd Paused now by admin \(console\).* It reads nothing and keeps its position\. Resume it/,
  );
  expect(paused.text).toMatch(/Feed nrd .*nrd Paused never 0 names 0 matches 0 new threats Resume/);
  expect((await visitor.get("/console/sources/feed/nrd")).text).toMatch(
    /Feed nrd Paused Resume Paused now by/,
  );
  expect((await visitor.get("/console")).text).toMatch(
    /Reading of feed nrd is paused Nothing has been read since .* UTC\./,
  );
  const metrics = await (await fetch(`${app.url}/metrics`)).text();
  expect(metrics).toContain('phishwatch_source_ok{kind="feed",source="nrd"} 0\n');
  expect(metrics).toContain('phishwatch_source_state{kind="feed",source="nrd",state="paused"} 1\n');

  writeFileSync(join(folder, "today.txt"), "example-bank.net\nother.org\n");
  const again = await visitor.submit("/console/sources/feed/nrd/pause", { from: "detail" });
  expect(again.text).toContain("Feed nrd: already paused.");
  const resumed = await visitor.submit("/console/sources/feed/nrd/resume", { from: "detail" });
  expect(resumed.text).toContain("Feed nrd: resumed.");
  await until(() => (feed().files[0]?.completedAt ?? null) !== null, "the file is read");
  expect(actions()).toEqual([
    ["source.resume", "nrd", "console"],
    ["source.pause", "nrd", "console"],
  ]);
}, 60_000);

test("Only declared sources can be paused, and only with a form of the console", async () => {
  for (const path of ["import/imports", "feed/none", "scan/scans"])
    expect((await visitor.post(`/console/sources/${path}/pause`)).status).toBe(404);
  await visitor.post("/console/sources/feed/nrd/pause", { form_token: "other" });
  expect(feed().state).not.toBe("paused");
  expect(actions()).toHaveLength(2);
});

test("The page lists what arrived from each origin of names, and an origin's page has the numbers of each day", async () => {
  await visitor.submit("/console/imports/names", { names: "example-bank.org\r\na b\r\n" });
  const { key } = app.app.keys.create(
    { name: "siem", plan: "free", scopes: ["candidates:write"] },
    { by: { channel: "console", name: null, address: null } },
  );
  const submitted = await fetch(`${app.url}/v1/candidates`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ domains: ["example-bank.de", "example-bank.org", "other.org"] }),
  });
  expect(submitted.status).toBe(200);
  const list = await visitor.get("/console/sources");
  expect(list.text).toMatch(/Imports and typed names (now|\d+ seconds? ago) 2 names 1 match 1 new threat/);
  expect(list.text).toMatch(/API key siem (now|\d+ seconds? ago) 3 names 2 matches 1 new threat/);
  expect(list.text).toContain("Names 7 in 14 days, 7 today (UTC)");
  // A line through one day would show nothing that the number does not say.
  expect(list.html).not.toContain("<polyline");
  const twoDaysAgo = startOfDay(Date.now()) - 2 * dayMs;
  const counts = { names: 4, invalid: 0, matched: 0, created: 0, lastAt: twoDaysAgo };
  app.app.database.query
    .insert(sourceActivity)
    .values({ kind: "submission", name: "siem", day: twoDaysAgo, ...counts })
    .run();
  expect((await visitor.get("/console/sources")).html).toContain(
    'aria-label="Names per day: 7 in 14 days, 3 today, at most 4 a day"',
  );
  const page = await visitor.get("/console/sources/submission/siem");
  expect(page.text).toMatch(/\d{4}-\d\d-\d\d 3 names 0 2 matches 1 new threat \d{4}/);
  expect(page.text).toContain("All API keys");
  expect((await visitor.get("/console/sources/submission/siem?days=90")).text).toContain("last 90 days");
  expect((await visitor.get("/console/sources/submission/other")).status).toBe(404);
});

const hourMs = 3_600_000;
const fine = { state: "watching" as const, problem: null, overdue: null, latest: null };
const pause = { at: 5 * hourMs, by: { channel: "console" as const, name: "ann" } };
const overdue = { usualMs: 24 * hourMs, sinceMs: 96 * hourMs };
test.each<[string, Parameters<typeof healthOf>[0], typeof pause | undefined, string, RegExp | null]>([
  ["works", fine, undefined, "Healthy", null],
  ["is being read", { ...fine, state: "reading" }, undefined, "Reading", null],
  ["has not been checked yet", { ...fine, state: "waiting" }, undefined, "Waiting", null],
  ["has a faulty part", { ...fine, problem: "a.txt is cut" }, undefined, "Problem", /^a\.txt is cut\. null$/],
  [
    "is silent",
    { ...fine, overdue },
    undefined,
    "Overdue",
    /^Nothing new for 4 days; .* Check whether the provider/,
  ],
  [
    "is silent and has a faulty part",
    { ...fine, problem: "The list is an HTML page.", overdue },
    undefined,
    "Overdue",
    /^The list is an HTML page\. Nothing new for 4 days; .* Check whether the provider/,
  ],
  [
    "cannot be read",
    { ...fine, state: "unavailable", problem: "it does not exist" },
    undefined,
    "Unavailable",
    /^Not readable: it does not exist\. Check its settings/,
  ],
  [
    "is paused, whatever else is wrong",
    { ...fine, state: "paused", problem: "it does not exist", overdue },
    pause,
    "Paused",
    /^Paused 2 hours ago by ann \(console\)\. .* Resume it/,
  ],
])("The health of a source that %s is in words that say what to do", (_, status, paused, label, text) => {
  const health = healthOf(status, paused, 7 * hourMs);
  expect(health.label).toBe(label);
  if (text === null) expect(health.problem).toBeNull();
  else expect(`${health.problem?.what} ${health.problem?.advice}`).toMatch(text);
});

test("An appliance without a source says what to do first, with and without internet access", async () => {
  const empty = openConsoleApp({ config: `[[protected_domains]]\ndomain = "example-bank.com"` });
  try {
    const { text } = await (await empty.signedIn()).get("/console/sources");
    for (const expected of ["Without internet access:", "[[feeds]]", "import it", "[certificate_logs]"])
      expect(text).toContain(expected);
    expect(text).not.toContain("declared as");
  } finally {
    await empty.dispose();
  }
});

describe("with certificate logs", () => {
  let logs: ConsoleApp;
  let page: string;
  const log = (change: Partial<CertificateLogStatus>): CertificateLogStatus => ({
    logId: "a",
    description: "argon",
    operator: "Google",
    protocol: "static",
    url: "https://log.example/",
    state: "following",
    position: 1,
    size: 1,
    lagEntries: 0,
    lagMs: 0,
    entriesPerSecond: 3,
    bytesPerSecond: 1_024,
    isVerified: true,
    error: null,
    startedAt: 0,
    progressAt: 0,
    mismatch: null,
    skipped: 0,
    malformed: 0,
    entries: 0,
    names: 0,
    matched: 0,
    created: 0,
    bytes: 0,
    errors: 0,
    ...change,
  });
  beforeAll(async () => {
    // Nothing is started, so that no log is contacted.
    logs = openConsoleApp({ config: '[certificate_logs]\nenabled = true\ncontact = "soc@example.com"' });
    page = "/console/sources/certificate-logs";
  });
  afterAll(() => logs.dispose());

  test("The page lists all logs of the embedded list, stays small, and can be paused", async () => {
    const reader = await logs.signedIn();
    const { html, text } = await reader.get(page);
    const followed = logs.app.certificateLogs!.logs();
    expect(followed.length).toBeGreaterThan(20);
    for (const { description } of followed) expect(text).toContain(description);
    expect(Buffer.byteLength(html)).toBeLessThan(60_000);
    expect(text).toContain("Log list Origin builtin Published 2026-05-29");
    const paused = await reader.submit(`${page}/pause`, { from: "detail" });
    expect(paused.text).toContain("Certificate logs: paused. The position is kept.");
    expect((await reader.get("/console/sources")).text).toMatch(/All \d+ logs Following 0 of \d+ logs: /);
  });

  test("The summary adds up rates and names the slowest log", () => {
    const behind = log({ description: "xenon", lagEntries: 9, lagMs: 660_000, state: "failing" });
    expect(summaryOf([log({}), behind])).toBe(
      "Following 1 of 2 logs: 6.0 entries and 2.0 KiB per second, the slowest log, xenon, is 11 min behind.",
    );
    expect(summaryOf([log({})])).toBe(
      "Following 1 of 1 log: 3.0 entries and 1.0 KiB per second, nothing left to read.",
    );
  });
});

test("JSON that is pasted is read as a document, and a link in Markdown as a name", async () => {
  const imported = async (names: string) => {
    await visitor.submit("/console/imports/names", { names });
    return app.app.imports.list(1)[0];
  };
  const records = [{ url: "https://example-shop.org/login" }, { url: "https://example-bank.dev/" }];
  expect(await imported(JSON.stringify(records, null, 1))).toMatchObject({
    received: 2,
    invalid: 0,
    matched: 1,
  });
  expect(await imported("[x](https://example-bank.dev/login)")).toMatchObject({ received: 1, matched: 1 });
});
