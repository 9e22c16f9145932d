import { afterAll, beforeAll, expect, test } from "bun:test";
import { dayMs } from "../../../src/platform/lib/clock.ts";
import { noticeMs } from "../../../src/operations/retention/notices.ts";
import { manualClock } from "../../support/appliance.ts";
import { openConsoleApp, type ConsoleApp, type Visitor } from "../../support/console.ts";
import { addThreats } from "../../support/console-threats.ts";
import { tester } from "../../support/console-pages.ts";
import { runInProcess } from "../../support/run-in-process.ts";

const retentionPath = "/console/settings/retention";
const clock = manualClock();
let opened: ConsoleApp;
let visitor: Visitor;

beforeAll(async () => {
  opened = openConsoleApp({
    clock,
    config: `
[[protected_domains]]
domain = "example-bank.com"
[retention]
resolved = "30d"`,
  });
  const ids = addThreats(opened.app, clock.now(), [
    { domain: "examp1e-bank.com" },
    { domain: "example-bank-login.net" },
  ]);
  opened.app.threats.triage.change(ids.slice(0, 1), "resolved", { by: tester });
  clock.advance(40 * dayMs);
  visitor = await opened.signedIn();
});
afterAll(() => opened.dispose());

test("the page shows what will be deleted and when, before anything is, and a deleted name is recorded again", async () => {
  const { dataRetention, threats } = opened.app;
  const early = await visitor.get(retentionPath);
  expect(early.text).toMatch(/resolved 30d 1 .*24 hours after the server reads it .*examp1e-bank\.com/);
  await dataRetention.settle();
  expect((await visitor.get(retentionPath)).text).toMatch(/resolved 30d 1 .*2026/);
  expect(await dataRetention.run()).toMatchObject({ resolved: 0 });
  clock.advance(noticeMs);
  expect(await dataRetention.run()).toMatchObject({ resolved: 1 });
  expect(threats.totals().reduce((sum, { total }) => sum + total, 0)).toBe(1);
  visitor = await opened.signedIn();
  expect((await visitor.get(retentionPath)).text).toContain("1 name is kept");

  const unknown = await visitor.post(`${retentionPath}/restore`, { name: "<b>other.example" });
  expect(unknown.status).toBe(400);
  const missing = await visitor.post(`${retentionPath}/restore`, { name: "other.example" });
  expect(missing.text).toContain("No deleted threat is called other.example.");
  const again = await visitor.submit(`${retentionPath}/restore`, {
    name: "hxxps://examp1e-bank[.]com/login",
  });
  expect(again.text).toContain("Recorded again.");
  expect(threats.list({ status: "active" }, { page: 1, perPage: 5 }).total).toBe(2);
  const [entry] = opened.app.auditLog.list({ action: "retention.restore" }, { limit: 1, offset: 0 });
  expect(entry).toMatchObject({ subject: "examp1e-bank.com", name: "admin" });
});

test("the command tries values without changing anything, and rejects what is no setting", async () => {
  const run = (...args: string[]) =>
    runInProcess(["retention", "show", "--config", opened.configPath, ...args]);
  const tried = await run("--json", "--set", "audit=7d", "--set", "false_positives=365d");
  expect([tried.code, tried.err]).toEqual([0, ""]);
  const rows = tried.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(rows).toMatchObject([
    { setting: "retention.false_positives", value: "365d", tried: true, count: 0, deletes_from: null },
    { setting: "retention.resolved", value: "30d", tried: false },
    { setting: "retention.screenshots", value: null, count: 0 },
    { setting: "retention.audit", value: "7d", tried: true, examples: [] },
  ]);
  expect(Number(rows[3]!["count"])).toBeGreaterThan(0);
  expect((await run("--json")).out).toContain('"setting":"retention.audit","value":null');
  const short = await run("--set", "resolved=1d");
  expect([short.code, short.err]).toEqual([
    2,
    expect.stringContaining("the duration must be from 7d to 3650d"),
  ]);
  const wrong = await run("--set", "resolve=30d");
  expect([wrong.code, wrong.err]).toEqual([
    2,
    expect.stringContaining("allowed is a setting (false_positives"),
  ]);
  const { out } = await runInProcess(["check", "--offline", "--json", "--config", opened.configPath]);
  expect(out).toMatch(/"check":"retention".*retention\.resolved.*30d, deletes every hour/);
});
