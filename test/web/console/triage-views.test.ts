import { afterEach, beforeEach, expect, test } from "bun:test";
import { manualClock } from "../../support/appliance.ts";
import { openConsoleApp, type ConsoleApp, type Visitor } from "../../support/console.ts";
import { addThreats } from "../../support/console-threats.ts";

const hour = 3_600_000;

let clock: ReturnType<typeof manualClock>;
let opened: ConsoleApp;
let visitor: Visitor;
let ids: string[];

beforeEach(async () => {
  clock = manualClock();
  opened = openConsoleApp({ config: `[[protected_domains]]\ndomain = "example-bank.com"`, clock });
  visitor = await opened.signedIn();
  ids = addThreats(
    opened.app,
    clock.now(),
    ["a", "b", "c", "d", "e"].map((letter, index) => ({
      domain: `example-bank-${letter}.com`,
      agoMs: (index + 1) * hour,
      ...(index === 0 ? { evidence: { mail: true } } : {}),
    })),
  );
});
afterEach(() => opened.dispose());

const toast = { "x-fragment": "toast" };
const statuses = () => ids.map((id) => opened.app.threats.get(id)!.status);
/** Returns the tabs as text, with an asterisk before the present one. */
const tabsAt = async (path: string) => {
  const { html } = await visitor.get(path);
  const [nav = ""] = /<nav class="tabs[\s\S]*?<\/nav>/.exec(html) ?? [];
  return [...nav.matchAll(/<a ([^>]*)>([\s\S]*?)<\/a>/g)].map(([, attributes = "", content = ""]) => {
    const text = content
      .replace(/<[^>]*>/g, " ")
      .replace(/\s+/g, " ")
      .trim();
    return attributes.includes("aria-current") ? `* ${text}` : text;
  });
};
const decide = (id: readonly string[], status: string, query = "") =>
  visitor.post("/console/threats/triage", { id, status, query }, toast);

test("the tabs of the list count the threats of each view and mark the present one", async () => {
  await decide(ids.slice(3), "resolved");
  expect(await tabsAt("/console/threats?sign=receives_mail")).toEqual([
    "To decide 3",
    "Mine 0",
    "Overdue 0",
    "High 1",
    "Asks for a password or card 0",
    "Imitates your page 0",
    "Looks like the original 0",
    "* Mail server 1",
    "Unverified 2",
    "Resolved 2",
    "False positives 0",
    "All 5",
    "",
  ]);
  // Forms send defaults, and the way of showing a view makes no other view.
  expect((await tabsAt("/console/threats?status=active&sort=severity&look=gallery"))[0]).toBe(
    "* To decide 3",
  );
  expect((await tabsAt("/console/threats?q=bank-a")).filter((tab) => tab.startsWith("*"))).toEqual([]);
});

test("a view that is limited to the minute says so, and other filters keep it", async () => {
  const { html, text } = await visitor.get("/console/threats?from=2026-01-13T06:20Z&to=2026-01-14");
  expect(text).toContain("First seen from 2026-01-13 06:20 UTC");
  expect(text).toContain("First seen to 2026-01-14 UTC");
  const typeOf = (name: string) =>
    new RegExp(`<input type="(?!hidden)[^>]*name="${name}"[^>]*>`).exec(html)![0];
  // A field for days would send nothing.
  expect(typeOf("from")).toMatch(/type="text".*value="2026-01-13T06:20Z"/);
  expect(typeOf("to")).toMatch(/type="date".*value="2026-01-14"/);
});

test("a view is saved under a name as a tab, renamed, moved and deleted, which can be undone", async () => {
  const form = await visitor.get("/console/threats/views/new?q=bank-a&order=asc&page=2&status=active");
  expect(form.text).toContain("name contains bank-a, status is active");
  const query = /name="query" value="([^"]*)"/.exec(form.html)![1]!.replaceAll("&amp;", "&");
  const save = (name: string, fields = { query }) =>
    visitor.submit("/console/threats/views/new", { name, ...fields });
  expect((await save("Ours <b>")).text).toContain("View saved.");
  expect((await tabsAt("/console/threats?q=bank-a&order=asc")).slice(-2)).toEqual(["* Ours &lt;b> 1", ""]);
  const [{ seq } = { seq: 0 }] = opened.app.savedViews.list();
  await save("Unverified ones", { query: "verified=no" });
  // A usual view with the same filters is not the present tab as well.
  expect((await tabsAt("/console/threats?verified=no")).filter((tab) => tab.startsWith("*"))).toEqual([
    "* Unverified ones 4",
  ]);

  const same = await visitor.post("/console/threats/views/new", { name: "OURS <b>", query });
  expect([same.status, same.text]).toEqual([400, expect.stringContaining("already a view named")]);
  const invalid = await visitor.post("/console/threats/views/new", { name: "x", query: "severity=urgent" });
  expect([invalid.status, invalid.text]).toEqual([400, expect.stringContaining('"severity" in the URL')]);
  const path = `/console/threats/views/${seq}`;
  expect((await visitor.post(path, { name: "" })).status).toBe(400);
  expect((await visitor.submit(path, { name: "Mine" })).text).toContain("View renamed.");
  const [, second] = opened.app.savedViews.list();
  await visitor.post(`/console/threats/views/${second!.seq}/move`);
  expect(opened.app.savedViews.list().map(({ name }) => name)).toEqual(["Unverified ones", "Mine"]);

  const deleted = await visitor.submit(`${path}/delete`);
  expect(deleted.text).toContain("View deleted.");
  expect(opened.app.savedViews.list()).toHaveLength(1);
  await visitor.post("/console/threats/views/new", { name: "Mine", query });
  expect(opened.app.savedViews.list().map((view) => [view.name, view.query])).toEqual([
    ["Unverified ones", "verified=no"],
    ["Mine", query],
  ]);
  expect((await visitor.get(`${path}`)).status).toBe(404);
});

test("a saved view that is no longer valid breaks no page, and its tab leads to where it can be deleted", async () => {
  const by = { channel: "console", name: null, address: null } as const;
  const { seq } = opened.app.savedViews.add({ name: "Old", query: "severity=urgent" }, { by });
  opened.app.savedViews.add({ name: "Gone", query: "domain=gone.example" }, { by });
  const list = await visitor.get("/console/threats");
  expect(list.html).toContain(`href="/console/threats/views/${seq}"`);
  expect(await tabsAt("/console/threats?domain=gone.example")).toContain("* Gone 0");
  expect((await visitor.get(`/console/threats/views/${seq}`)).text).toContain("no longer valid");
  expect((await visitor.submit(`/console/threats/views/${seq}/delete`)).text).toContain("View deleted.");
});

test("recent decisions, on one threat and on several, are listed with who made them, and each can be undone", async () => {
  await decide(ids.slice(0, 4), "resolved");
  clock.advance(hour);
  await visitor.post(`/console/threats/${ids[4]}/status`, { status: "false_positive" });
  const page = await visitor.get("/console/decisions");
  expect(page.text).toMatch(/example-bank -e \.com False positive admin now , 127\.0\.0\.1 Undo/);
  expect(page.text).toMatch(
    /example-bank -a \.com , example-bank -b \.com , example-bank -c \.com and 1 more Resolved admin 1 hour ago/,
  );
  // The message about the last decision has a button as well.
  const acts = [...page.html.matchAll(/name="act" value="(\d+)"/g)].map(([, act]) => act!).slice(1);
  const back = "/console/decisions";
  const undone = await visitor.submit("/console/threats/undo", { act: acts[1]!, back });
  expect(undone.text).toContain("Decision undone: 4 threats restored.");
  expect(undone.text).toContain("Undone now");
  expect(statuses()).toEqual(["active", "active", "active", "active", "false_positive"]);
  const away = await visitor.post("/console/threats/undo", { act: acts[0]!, back: "https://evil.example/" });
  expect([away.location, statuses().at(-1)]).toEqual(["/console", "active"]);
});

test("with a script, a decision returns only a message that undoes it, and says when nothing changed", async () => {
  const done = await decide(ids.slice(0, 2), "resolved", "severity=high&page=2");
  expect([done.status, done.location]).toEqual([200, null]);
  expect(done.html).toMatch(/^<div class="toast success" role="status" data-batch="\d+">/);
  expect(done.text).toBe("2 threats are now resolved. Undo");
  const again = await decide(ids.slice(0, 2), "resolved");
  expect(again.text).toBe("No changes: 2 threats were already resolved.");
  expect(again.html).not.toContain("data-batch");
  expect((await decide([], "resolved")).text).toBe("No threats selected.");

  await decide(ids.slice(2, 3), "false_positive");
  const undo = (act: string) => visitor.post("/console/threats/undo", { act }, toast);
  expect((await undo("latest")).html).toMatch(/data-batch="\d+"/);
  expect(statuses().slice(0, 3)).toEqual(["resolved", "resolved", "active"]);
  expect((await undo("latest")).text).toBe("Decision undone: 2 threats restored.");
  expect((await undo("latest")).text).toBe("You have no decision to undo.");
  expect(new Set(statuses())).toEqual(new Set(["active"]));
});

test("the list announces threats that arrived since it was loaded, and only those of its view", async () => {
  const { html } = await visitor.get("/console/threats?q=bank");
  const address = /data-fresh="([^"]+)"/.exec(html)![1]!.replaceAll("&amp;", "&");
  expect((await visitor.get(address)).html).toMatch(
    /^<div class="fresh"[^>]* data-count="0" hidden><\/div>$/,
  );
  addThreats(opened.app, clock.now(), [
    { domain: "example-bank-f.com" },
    { domain: "example-bank-g.com" },
    { domain: "examp1e-banc.com" },
  ]);
  const fresh = await visitor.get(address);
  expect(fresh.text).toBe("2 new, show");
  expect(fresh.html).toContain('<a href="/console/threats?q=bank">');
  expect(fresh.html).not.toContain(" hidden>");
  expect((await visitor.get("/console/threats/new")).status).toBe(400);
});

test("a list that is opened at a threat shows the page that contains it, also after it was decided", async () => {
  const many = addThreats(
    opened.app,
    clock.now(),
    Array.from({ length: 70 }, (_, index) => ({
      domain: `example-bank-${index}.com`,
      agoMs: (index + 9) * hour,
    })),
  );
  const at = async (id: string) => (await visitor.get(`/console/threats?sort=first_seen&open=${id}`)).text;
  expect(await at(ids[0]!)).toContain("1–50 of 75");
  expect(await at(many[60]!)).toContain("51–75 of 75");
  await decide([many[60]!], "resolved");
  expect(await at(many[60]!)).toContain("51–74 of 74");
  expect(await at("thr_unknown")).toContain("1–50 of 74");
  const { html } = await visitor.get(`/console/threats?sort=first_seen&open=${ids[1]}`);
  expect(html).toMatch(new RegExp(`class="row open"[^>]*data-id="${ids[1]}"`));
});
