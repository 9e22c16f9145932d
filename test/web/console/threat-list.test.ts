import { join } from "node:path";
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { triageThreatsMax } from "../../../src/threats/threats/triage/batches.ts";
import { manualClock } from "../../support/appliance.ts";
import { openConsoleApp, type ConsoleApp, type Visitor } from "../../support/console.ts";
import { addThreats, secretsPage, type SampleThreat } from "../../support/console-threats.ts";

const hour = 3_600_000;
const day = 24 * hour;
const config = `
[[protected_domains]]
domain = "example-bank.com"
[[protected_domains]]
domain = "example-shop.com"
`;

let clock: ReturnType<typeof manualClock>;
let opened: ConsoleApp;
let visitor: Visitor;

beforeEach(async () => {
  clock = manualClock();
  opened = openConsoleApp({ config, clock });
  visitor = await opened.signedIn();
});
afterEach(() => opened.dispose());

const add = (samples: readonly SampleThreat[]) => addThreats(opened.app, clock.now(), samples);
/** Sets columns of a threat that lookups and other pages fill. */
function setCase(id: string, values: Record<string, string | number>): void {
  const database = new Database(join(opened.folder, "phishwatch.db"));
  for (const [column, value] of Object.entries(values))
    database.run(`update threats set ${column} = ? where id = ?`, [value, id]);
  database.close();
}
const statusOf = (id: string) => opened.app.threats.get(id)!.status;
/** Returns the ids of the threats in the order of the page. */
const idsIn = (html: string) => [...html.matchAll(/name="id" value="(thr_[^"]+)"/g)].map(([, id]) => id!);
const idsAt = async (path: string) => idsIn((await visitor.get(path)).html);
/** Returns the fields of the button that undoes a decision. */
const undoOf = (html: string) => ({
  act: /name="act" value="(\d+)"/.exec(html)![1]!,
  back: /name="back" value="([^"]*)"/.exec(html)![1]!.replaceAll("&amp;", "&"),
});
const rowsText = (html: string) =>
  [...html.matchAll(/<li class="row[\s\S]*?<\/li>/g)].map(([row]) =>
    row.replace(/<[^>]*>/g, " ").replace(/\s+/g, " "),
  );

describe("the list of threats", () => {
  test("shows active threats, the most severe first and the newest of those before older ones", async () => {
    const [low, oldHigh, newHigh, decided] = add([
      { domain: "example-bamk.com", similarity: 0.8 },
      { domain: "examp1e-bank.com", similarity: 0.98, agoMs: 2 * day },
      { domain: "exampie-bank.com", similarity: 0.98, agoMs: hour },
      { domain: "example-banke.com", similarity: 0.98 },
    ]);
    opened.app.threats.changeStatus([decided!], "resolved", {
      by: { channel: "system", name: null, address: null },
    });
    const { html, status } = await visitor.get("/console/threats");
    expect(status).toBe(200);
    expect(idsIn(html)).toEqual([newHigh!, oldHigh!, low!]);
    expect(html).toContain(`href="/console/threats/${newHigh}"`);
  });

  test("applies every filter in its URL and keeps them in its links", async () => {
    const [bank, shop, mail] = add([
      { domain: "example-bank-login.net", type: "combosquatting", similarity: 0.8, agoMs: 3 * day },
      {
        domain: "example-shop.org",
        protectedDomain: "example-shop.com",
        type: "tld_squatting",
        similarity: 0.96,
      },
      { domain: "example-banc.com", type: "typosquatting", similarity: 0.9, evidence: { mail: true } },
    ]);
    setCase(bank!, { assignee_seq: 1, due_at: clock.now() - hour, site_state: "up", campaign_seq: 7 });
    setCase(shop!, { due_at: clock.now() + hour, site_state: "back", campaign_seq: 7 });
    setCase(mail!, { site_state: "parked" });
    const today = new Date(clock.now()).toISOString().slice(0, 10);
    const cases: [string, (string | undefined)[]][] = [
      ["q=LOGIN", [bank]],
      ["q=example-shop*", [shop]],
      ["q=https%3A%2F%2Fexample-banc.com%2Fx", [mail]],
      ["domain=EXAMPLE-shop.com", [shop]],
      ["type=typosquatting", [mail]],
      ["severity=high", [mail]],
      ["severity=medium", [shop]],
      ["source=scan", []],
      ["sign=receives_mail", [mail]],
      ["verified=yes", [mail]],
      ["registrar=Registrar%2C+Inc.", [mail]],
      ["nameservers=example.net&network=192.0.2.0%2F24", [mail]],
      ["network=198.51.100.0%2F24", []],
      ["verified=no&sort=similarity", [shop, bank]],
      ["similarity=0.85&sort=similarity", [shop, mail]],
      ["sort=name", [mail, bank, shop]],
      [`to=${new Date(clock.now() - day).toISOString().slice(0, 10)}`, [bank]],
      [`from=${today}&to=${today}&sort=similarity`, [shop, mail]],
      [`to=${new Date(clock.now() - day).toISOString().slice(0, 16)}Z`, [bank]],
      [`from=${new Date(clock.now() + day).toISOString().slice(0, 16)}Z`, []],
      ["assignee=me", [bank]],
      ["assignee=ADMIN", [bank]],
      ["assignee=none&sort=due", [shop, mail]],
      ["assignee=nobody-has-this-name", []],
      ["overdue=yes", [bank]],
      ["site_state=up,back&sort=due", [bank, shop]],
      ["site_state=down", []],
      ["campaign=7&sort=due&order=desc", [shop, bank]],
      ["campaign=8", []],
      ["status=resolved", []],
      ["sort=similarity&order=asc", [bank, mail, shop]],
    ];
    for (const [query, expected] of cases) {
      expect([query, await idsAt(`/console/threats?${query}&group=none`)]).toEqual([
        query,
        expected as string[],
      ]);
    }
    const { html } = await visitor.get("/console/threats?severity=high&sort=similarity");
    expect(html).toContain('href="/console/threats?severity=high&amp;sort=similarity&amp;order=asc"');
  });

  test("lists a campaign as one row with what its matching threats have, and decides about them together", async () => {
    const [one, two, other, alone, decided] = add([
      { domain: "example-bank-1.net", similarity: 0.8, agoMs: 3 * day },
      { domain: "example-bank-2.net", similarity: 0.98, evidence: { mail: true }, agoMs: 2 * day },
      { domain: "example-shop-3.net", protectedDomain: "example-shop.com", similarity: 0.8 },
      { domain: "exampie-bank.com", similarity: 0.8, agoMs: hour },
      { domain: "example-bank-4.net", similarity: 0.8 },
    ]);
    for (const id of [one, two, other, decided]) setCase(id!, { campaign_seq: 7, site_state: "up" });
    setCase(one!, { site_state: "down" });
    opened.app.threats.changeStatus([decided!], "resolved", {
      by: { channel: "system", name: null, address: null },
    });
    const { html } = await visitor.get("/console/threats");
    expect(rowsText(html)).toEqual([
      expect.stringMatching(
        /example-bank -2 \. net and 2 more Campaign of 3 threats · example-bank\.com , example-shop\.com Up 2/,
      ),
      expect.stringContaining("examp i e-bank"),
    ]);
    expect(html).toContain('href="/console/campaigns/7"');
    expect(html).toContain("1–2 of 2");
    expect(html).toContain(">1 campaign and 1 threat without one<");
    // Without script, the row leads to the threats of the campaign in the list.
    const members = /href="([^"]*campaign=7[^"]*)"/.exec(html)![1]!.replaceAll("&amp;", "&");
    expect(await idsAt(members)).toEqual([two!, other!, one!]);
    const part = await visitor.get(members, { "x-fragment": "members" });
    expect(idsIn(part.html)).toEqual([two!, other!, one!]);
    expect(part.html).not.toContain("<h1");
    const all = await visitor.get("/console/threats?status=all");
    expect(rowsText(all.html)[0]).toContain("Campaign of 4 threats · 3 active, 1 resolved · ");

    // The campaign of the open threat is expanded; the other numbers on the page count threats.
    const shown = await visitor.get(`/console/threats?open=${other}`);
    expect(
      [...shown.html.matchAll(/<li class="([^"]*)" data-row data-id="([^"]*)"/g)].map(([, ...row]) => row),
    ).toEqual([
      ["row", "campaign-7"],
      ["row member", two!],
      ["row member open", other!],
      ["row member", one!],
      ["row", alone!],
    ]);
    expect(shown.html).toMatch(/aria-current="page">To decide<span>4</);
    // A list of threats by choice, in the address or for the account.
    expect(await idsAt("/console/threats?group=none")).toHaveLength(4);
    await visitor.post("/console/preferences", { grouping: "none", to: "/console/threats" });
    expect(await idsAt("/console/threats")).toHaveLength(4);
    expect(await idsAt("/console/threats?group=campaign")).toEqual([alone!]);
    await visitor.post("/console/preferences", { grouping: "campaign", to: "/console/threats" });

    const fields = {
      query: "",
      last_seq: /name="last_seq" value="(\d+)"/.exec(html)![1]!,
      status: "false_positive",
    };
    expect((await visitor.post("/console/threats/triage", { ...fields, campaign: "x" })).status).toBe(400);
    await visitor.post("/console/threats/triage", { ...fields, campaign: "7" });
    expect([one, two, other, alone, decided].map((id) => statusOf(id!))).toEqual([
      "false_positive",
      "false_positive",
      "false_positive",
      "active",
      "resolved",
    ]);
  });

  test("assigns the selected threats and campaigns, sets their due times, and says what changed", async () => {
    const ids = add([
      { domain: "example-bank-1.net", similarity: 0.8 },
      { domain: "example-bank-2.net", similarity: 0.8 },
      { domain: "exampie-bank.com", similarity: 0.8 },
    ]) as [string, string, string];
    for (const id of ids.slice(0, 2)) setCase(id, { campaign_seq: 7 });
    const { html } = await visitor.get("/console/threats");
    expect(html).toContain('<option value="name:admin">admin</option>');
    const last_seq = /name="last_seq" value="(\d+)"/.exec(html)![1]!;
    const change = async (fields: Record<string, string | string[]>) => {
      const response = await visitor.post("/console/threats/cases", { query: "", last_seq, ...fields });
      return response.status === 303 ? (await visitor.get(response.location!)).text : response.text;
    };
    const assignees = () => ids.map((id) => opened.app.cases.of(id)!.assignee?.name);
    expect(await change({ change: "me", campaign: "7" })).toContain("2 threats are now assigned to admin.");
    expect(assignees()).toEqual(["admin", "admin", undefined]);
    expect(await change({ change: "assignee", assignee: "name:admin", id: ids })).toContain(
      "1 threat is now assigned to admin. 2 threats already were.",
    );
    expect(rowsText((await visitor.get("/console/threats?assignee=me&group=none")).html)).toHaveLength(3);
    await change({ change: "assignee", assignee: "nobody", id: ids[2] });
    expect(assignees()).toEqual(["admin", "admin", undefined]);
    expect(await change({ change: "due", due: "3", all: "yes" })).toContain(
      "3 threats are now due in 3 days.",
    );
    expect(opened.app.cases.of(ids[2])!.dueAt).toBe(clock.now() + 3 * day);
    expect(await change({ change: "due", due: "none", id: ids[0] })).toContain("now without a due time.");
    expect(await change({ change: "me" })).toContain("No threats selected.");
    expect(await change({ change: "me", campaign: "8" })).toContain("The selected campaigns have changed");
    const rejected: Record<string, string>[] = [
      { change: "assignee", assignee: "name:eve" },
      { change: "due", due: "2" },
      { change: "x" },
    ];
    for (const wrong of rejected) {
      const sent = { query: "", id: ids[0], ...wrong };
      expect((await visitor.post("/console/threats/cases", sent)).status).toBe(400);
    }
  });

  test("exports exactly the threats of the present view, in each format", async () => {
    const [bank, shop] = add([
      { domain: "example-bank-login.net", similarity: 0.8, agoMs: 3 * day },
      { domain: "example-shop.org", protectedDomain: "example-shop.com", similarity: 0.96 },
      { domain: "example-banc.com", type: "typosquatting", similarity: 0.9 },
    ]);
    opened.app.threats.changeStatus([shop!], "resolved", {
      by: { channel: "system", name: null, address: null },
    });
    const { html } = await visitor.get("/console/threats?q=nothing-like-this");
    expect(html).not.toContain("/console/threats/export");
    const view = await visitor.get(`/console/threats?status=all&q=example-&to=2030-01-01`);
    const links = [...view.html.matchAll(/href="(\/console\/threats\/export[^"]+)"/g)].map(([, href]) =>
      href!.replaceAll("&amp;", "&"),
    );
    expect(links.map((link) => new URLSearchParams(link.split("?")[1]).get("format"))).toEqual([
      "csv",
      "jsonl",
      "stix",
    ]);
    for (const link of links) {
      const file = await visitor.get(link);
      expect(file.headers.get("content-disposition")).toMatch(/^attachment; filename="threats-[\d-]+\.\w+"$/);
      expect([bank, shop].filter((id) => file.html.includes(id!))).toEqual([bank, shop]);
      // Without a status, the view is that of active threats, as on the page.
      const active = await visitor.get(link.replace("status=all&", ""));
      expect([bank, shop].filter((id) => active.html.includes(id!))).toEqual([bank]);
    }
    const wrong = await visitor.get("/console/threats/export?format=pdf");
    expect([wrong.status, wrong.text]).toEqual([
      400,
      expect.stringContaining('"format" in the URL must be one of csv'),
    ]);
  });

  test("has an address without the fields of the form that were left empty", async () => {
    const sent = "q=&status=active&severity=high&domain=&type=&source=&sign=&from=&to=&similarity=&sort=name";
    const { status, location } = await visitor.get(`/console/threats?${sent}`);
    expect([status, location]).toEqual([303, "/console/threats?status=active&severity=high&sort=name"]);
    const log = await visitor.get("/console/settings/webhooks/deliveries?endpoint=&status=&about=");
    expect([log.status, log.location]).toEqual([303, "/console/settings/webhooks/deliveries"]);
  });

  test.each([
    ["status=open", "status"],
    ["type=phishing", "type"],
    ["from=2026-02-30", "from"],
    ["similarity=2", "similarity"],
    ["domain=a%20b", "domain"],
    ["verified=maybe", "verified"],
    ["overdue=no", "overdue"],
    ["site_state=up,gone", "site_state"],
    ["campaign=-1", "campaign"],
    ["group=domain", "group"],
  ])("rejects %s and names the invalid parameter", async (query, name) => {
    const response = await visitor.get(`/console/threats?${query}`);
    expect(response.status).toBe(400);
    expect(response.text).toContain(`"${name}" in the URL`);
  });

  test("has 50 threats per page and shows the exact total", async () => {
    add(Array.from({ length: 120 }, (_, index) => ({ domain: `example-bank-${index}.com` })));
    const first = await visitor.get("/console/threats");
    expect(idsIn(first.html)).toHaveLength(50);
    expect(first.text).toContain("1–50 of 120");
    const third = await visitor.get("/console/threats?page=3");
    expect(idsIn(third.html)).toHaveLength(20);
    expect((await visitor.get("/console/threats?page=9")).text).toContain(
      "There is no page 9: the list has 3 pages. Go to the last page",
    );
  });

  test("highlights the differences from the protected name and shows both forms of a name", async () => {
    add([{ domain: "exаmple-bank.com", type: "homograph", similarity: 0.99 }]);
    const { html } = await visitor.get("/console/threats");
    expect(html).toMatch(/<mark class="swap" title="[^"]*U\+0430[^"]*">а<\/mark>/);
    expect(html).toMatch(/<bdi class="puny" dir="ltr">xn--[a-z0-9-]+\.com<\/bdi>/);
  });

  test("renders names with bidirectional, invisible or markup characters as harmless text", async () => {
    const hostile = [
      "xn--example-bank-8e2m.com",
      "xn--4dbcagdahymbxekheh6e0a7fei0b.com",
      "xn---bank-x9e.com",
    ];
    add(hostile.map((domain) => ({ domain })));
    const { html } = await visitor.get('/console/threats?q="><script>alert(1)</script>');
    expect(html).not.toContain("<script>alert");
    const list = await visitor.get("/console/threats");
    expect(list.html).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b-\u200f]/);
    for (const name of hostile) expect(list.text).toContain(name);
    expect((await visitor.get(`/console/threats?q=${"x".repeat(10_000)}`)).status).toBe(200);
  });
});

describe("a batch decision", () => {
  test("changes the selected threats, reports their number, and offers to undo it at the same place", async () => {
    const ids = add([
      { domain: "example-bank-a.com" },
      { domain: "example-bank-b.com" },
      { domain: "example-bank-c.com" },
    ]);
    const response = await visitor.post("/console/threats/triage", {
      query: "severity=medium",
      last_seq: "99",
      id: ids.slice(0, 2),
      status: "resolved",
    });
    expect(response.location).toBe("/console/threats?severity=medium");
    expect(ids.map(statusOf)).toEqual(["resolved", "resolved", "active"]);
    const list = await visitor.get(response.location!);
    expect(list.text).toContain("2 threats are now resolved. Undo");
    expect(opened.app.threats.history(ids[0]!)[0]).toMatchObject({ by: { channel: "console" } });

    const undo = undoOf(list.html);
    expect(undo.back).toBe("/console/threats?severity=medium");
    const undone = await visitor.submit("/console/threats/undo", undo);
    expect(undone.text).toContain("Decision undone: 2 threats restored.");
    expect(ids.map(statusOf)).toEqual(["active", "active", "active"]);
    const again = await visitor.submit("/console/threats/undo", undo);
    expect(again.text).toContain("was already undone");
  });

  test("returns to the page of the view that it was made on, or to the last one that is left", async () => {
    const ids = add(Array.from({ length: 102 }, (_, index) => ({ domain: `example-bank-${index}.com` })));
    const decide = (query: string, id: readonly string[]) =>
      visitor.post("/console/threats/triage", { query, id, status: "resolved" });
    expect((await decide("sort=first_seen&page=3&look=gallery", ids.slice(0, 1))).location).toBe(
      "/console/threats?sort=first_seen&look=gallery&page=3",
    );
    expect((await decide("sort=first_seen&page=3", ids.slice(1, 2))).location).toBe(
      "/console/threats?sort=first_seen&page=2",
    );
    expect((await decide("page=2", ids)).location).toBe("/console/threats");
  });

  test("when undone, leaves threats that someone else changed since and reports them", async () => {
    const ids = add([{ domain: "example-bank-a.com" }, { domain: "example-bank-b.com" }]);
    const { html } = await visitor.submit("/console/threats/triage", {
      query: "",
      id: ids,
      status: "resolved",
    });
    clock.advance(1_000);
    opened.app.threats.changeStatus([ids[1]!], "false_positive", {
      by: { channel: "api", name: "ci", address: null },
    });
    const undone = await visitor.submit("/console/threats/undo", undoOf(html));
    expect(undone.text).toContain("1 threat restored. 1 threat keeps a later decision: ");
    expect(ids.map(statusOf)).toEqual(["active", "false_positive"]);
  });

  test("can include all matching threats on all pages, but none that arrived after the list was shown", async () => {
    const ids = add(Array.from({ length: 60 }, (_, index) => ({ domain: `example-bank-${index}.com` })));
    const [shop] = add([{ domain: "example-shop.net", protectedDomain: "example-shop.com" }]);
    const { html, text } = await visitor.get("/console/threats?domain=example-bank.com");
    expect(text).toContain("all 60 of this view");
    const [, lastSeq] = /name="last_seq" value="(\d+)"/.exec(html)!;
    const [later] = add([{ domain: "example-bank-later.com" }]);
    await visitor.post("/console/threats/triage", {
      query: "domain=example-bank.com",
      last_seq: lastSeq!,
      all: "yes",
      status: "false_positive",
    });
    expect(new Set(ids.map(statusOf))).toEqual(new Set(["false_positive"]));
    expect([statusOf(shop!), statusOf(later!)]).toEqual(["active", "active"]);
  });

  test(`is limited to the first ${triageThreatsMax} matching threats, which the list announces`, async () => {
    const ids = opened.app.database.transaction(() =>
      add(
        Array.from({ length: triageThreatsMax + 5 }, (_, index) => ({ domain: `example-bank-${index}.com` })),
      ),
    );
    expect((await visitor.get("/console/threats")).text).toContain("the first 1,000 of 1,005 of this view");
    const fields = { query: "", last_seq: "999999", all: "yes", status: "resolved" };
    const done = await visitor.submit("/console/threats/triage", fields);
    expect(done.text).toContain("1,000 threats are now resolved.");
    expect(ids.filter((id) => statusOf(id) === "active")).toHaveLength(5);
  });

  test("changes nothing without a selection, a valid status or the CSRF token", async () => {
    const ids = add([{ domain: "example-bank-a.com" }]);
    expect(
      (await visitor.submit("/console/threats/triage", { query: "", status: "resolved" })).text,
    ).toContain("No threats selected");
    expect((await visitor.post("/console/threats/triage", { id: ids, status: "open" })).status).toBe(400);
    const forged = { id: ids, status: "resolved", form_token: "forged" };
    expect((await visitor.post("/console/threats/triage", forged)).status).toBe(400);
    expect((await visitor.get("/console/threats/triage")).status).toBe(404);
    expect(ids.map(statusOf)).toEqual(["active"]);
  });
});

test("a row shows the strongest evidence, and that a threat of which only the name is known is unverified", async () => {
  add([
    { domain: "example-bank-a.com", evidence: { mail: true, page: secretsPage }, agoMs: 5 * hour },
    { domain: "example-bank-b.com", agoMs: 2 * day },
  ]);
  const [known, unknown] = rowsText((await visitor.get("/console/threats")).html);
  expect(known).toContain("Page asks for a password · Mail server · combosquatting of example-bank.com");
  expect(known).toContain("5 h");
  expect(unknown).toContain("Unverified · combosquatting of example-bank.com");
  expect(unknown).toContain("2 d");
});
