/** Checks of new domains against the archive, and the search of the archive. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { nameLines } from "../../../src/engines/archive/archive.ts";
import { openConsoleApp, type ConsoleApp, type Visitor } from "../../support/console.ts";
import { until } from "../../support/until.ts";

const day = Date.UTC(2026, 4, 3, 17);
let app: ConsoleApp;
let visitor: Visitor;
beforeAll(async () => {
  app = openConsoleApp({ config: `[[protected_domains]]\ndomain = "example-bank.com"` });
  await app.app.start();
  visitor = await app.signedIn();
  await app.app.archiveChecks.idle();
  app.app.archive.add(
    nameLines(["kestre1post.com", "login-kestrelpost.net", "weather.example", "xn--bcher-kva.example"]),
    { source: "feed", seenAt: day },
  );
});
afterAll(async () => {
  await app.app.stop();
  await app.dispose();
});

test("The page of a domain that was just added shows the check of the names seen before and what was found", async () => {
  const before = await visitor.get("/console/domains/example-bank.com");
  expect(before.text).toContain("Names seen before There were none. New names are checked as they arrive");
  await visitor.submit("/console/domains/new", { domain: "kestrelpost.com", keywords: "", allow: "" });
  const checked = "Names seen before 4 names checked";
  await until(
    async () => (await visitor.get("/console/domains/kestrelpost.com")).text.includes(checked),
    "the check is complete",
  );
  const { text, html } = await visitor.get("/console/domains/kestrelpost.com");
  expect(text).toMatch(/4 names checked .*\. 2 threats found, 2 new/);
  expect(text).toContain("Generated look-alikes Not scanned yet");
  expect(text).toContain("2 to decide");
  // Nothing is in progress, so nothing refreshes.
  expect(html).not.toContain("data-refresh");
  const [threat] = app.app.threats.list(
    { protectedDomain: "kestrelpost.com" },
    { page: 1, perPage: 1 },
  ).threats;
  expect(threat).toMatchObject({ source: "feed", firstSeen: Date.UTC(2026, 4, 3) });
});

test("A keyword that is added applies to the names seen before, and one that is removed only to new names", async () => {
  const path = "/console/domains/kestrelpost.com";
  const added = await visitor.submit(path, { keywords: "zephyrmail", allow: "" });
  expect(added.text).toContain("Saved. Applies to new names and to names seen before;");
  const removed = await visitor.submit(path, { keywords: "", allow: "" });
  expect(removed.text).toContain("Saved. Applies to new names; existing threats are unchanged.");
});

test("A check in progress shows its progress, which refreshes, on the page of the domain and in the list", async () => {
  const { archiveChecks } = app.app;
  const list = archiveChecks.list;
  const running = { ...archiveChecks.find("example-bank.com")!, state: "running", namesTotal: 200 } as const;
  const held = { ...running, namesChecked: 50, found: 3, created: 1 };
  const find = archiveChecks.find;
  Object.assign(archiveChecks, { list: () => [held], find: () => held });
  try {
    const { text, html } = await visitor.get("/console/domains/example-bank.com");
    expect(text).toContain("50 of 200 names checked");
    expect(text).toContain("3 threats found so far, 1 new");
    expect(html).toContain('data-refresh="/console/domains/example-bank.com/checks"');
    // The part of the page that refreshes counts the threats that the check has found.
    await app.app.candidates.submit(["examp1e-bank.com"], { source: "submission" });
    const fragment = await visitor.get("/console/domains/example-bank.com/checks");
    expect(fragment.html).toMatch(/>1 to decide<.*>1 in total</);
    expect(fragment.html).toMatch(/^<section class="card flush" id="domain-checks"/);
    expect((await visitor.get("/console/domains")).text).toContain("names seen before 25 %");
  } finally {
    Object.assign(archiveChecks, { list, find });
  }
});

test("The search finds stored names by text and by look-alike of any domain, with their first day", async () => {
  expect((await visitor.get("/console/names")).text).toContain("The domain need not be protected");
  const byText = await visitor.get("/console/names?q=kestrel*");
  expect(byText.text).toContain("No stored name matches");
  const inside = await visitor.get("/console/names?q=kestre&mode=text");
  expect(inside.text).toMatch(/2 names .*kestre1post\.com 2026-05-03 feed .*login-kestrelpost\.net/);
  expect((await visitor.get("/console/names?q=bücher")).text).toContain("bücher.example");
  const pasted = encodeURIComponent("hxxps://x@kestre1post[.]com:8443/login?a=*");
  expect((await visitor.get(`/console/names?q=${pasted}`)).text).toMatch(/1 name .*kestre1post\.com/);
  const alike = await visitor.get("/console/names?q=https://weather.org/&mode=like");
  expect(alike.text).toMatch(/weather\. example 2026-05-03 feed TLD squatting 0\.\d\d/);
  expect(alike.html).toMatch(/weather\.<mark class="swap"[^>]*>/);
  expect((await visitor.get("/console/names?q=kestre&source=scan")).text).toContain("No stored name matches");
  expect((await visitor.get("/console/names?q=kestre&since=2026-05-04")).text).toContain(
    "No stored name matches",
  );
});

test("Invalid terms of the search are explained, and nothing that was typed becomes markup", async () => {
  const tooMany = await visitor.get("/console/names?q=a*b");
  expect(tooMany.status).toBe(400);
  expect(tooMany.text).toContain('The text contains "*", which is allowed only at its start and end.');
  const hostile = await visitor.get(
    `/console/names?mode=like&q=${encodeURIComponent('"><script>x</script>')}`,
  );
  expect(hostile.status).toBe(400);
  expect(hostile.html).not.toContain("<script>x");
  expect((await visitor.get("/console/names?q=a.com&since=yesterday")).text).toContain("2026-01-31");
  expect((await visitor.get("/console/names/results?q=")).status).toBe(204);
});
