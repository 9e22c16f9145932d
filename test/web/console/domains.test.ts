import { afterAll, beforeAll, expect, test } from "bun:test";
import { inWords, typeDescriptions } from "../../../src/web/console/kit/inline.tsx";
import { seedOriginals } from "../../support/console-original-samples.ts";
import { openConsoleApp, type ConsoleApp, type Visitor } from "../../support/console.ts";

let app: ConsoleApp;
let visitor: Visitor;
beforeAll(async () => {
  app = openConsoleApp({
    config: `[[protected_domains]]\ndomain = "example-bank.com"\nkeywords = ["examplepay"]`,
  });
  visitor = await app.signedIn();
});
afterAll(() => app.dispose());

const latestAction = () =>
  app.app.auditLog
    .list({ channel: "console" }, { limit: 1, offset: 0 })
    .map(({ action, subject, address }) => [action, subject, address]);
const fields = (domain: string, keywords = "", allow = "") => ({ domain, keywords, allow });

test("a preview shows brand keywords and look-alikes of every type, and adds nothing", async () => {
  const preview = await visitor.post("/console/domains/new", {
    ...fields("Chase.example.", "Kestrel, post", "chase.test"),
    step: "look",
  });
  expect(preview.status).toBe(200);
  expect(preview.text).toContain('chase : "chase" is a common word');
  expect(preview.text).toContain("login- chase.example combosquatting");
  expect(preview.text).toMatch(/homograph .* doppelganger .* TLD squatting/);
  // The form keeps what was typed.
  expect(preview.html).toContain('value="Chase.example."');
  expect(preview.html).toContain('value="Kestrel, post"');
  expect(app.app.domains.find("chase.example")).toBeUndefined();
});

test("The look-alikes page marks the differences of each name and explains the types (operator minor)", async () => {
  const { html, text } = await visitor.get("/console/domains/example-bank.com/look-alikes");
  const rows = html.match(/<tr[^>]*>.*?<\/tr>/gs)!.slice(1);
  expect(rows.length).toBeGreaterThan(20);
  const unmarked = rows.filter((row) => !/<mark class="(swap|plus|gone)"/.test(row));
  expect(unmarked).toEqual([]);
  expect(text).toContain("What the types mean");
  for (const type of ["tld_squatting", "doppelganger", "bitsquatting", "levelsquatting"] as const)
    expect(html).toContain(`<span title="${typeDescriptions[type]}">${inWords(type)}</span>`);
});

test("Brand keywords that are searched for everywhere are named (operator minor)", async () => {
  const { text } = await visitor.get("/console/domains/example-bank.com");
  expect(text).toMatch(/example-bank\s?, examplepay\s?: long and rare enough to be matched anywhere/);
});

test("The advice for a common brand word has no example of a foreign trade (operator minor)", async () => {
  const preview = await visitor.post("/console/domains/new", { ...fields("apple.com"), step: "look" });
  expect(preview.text).toContain("add longer names under which the brand is known as keywords");
  expect(preview.text).not.toContain("applebank");
});

test("adding, changing and removing a domain takes effect at once and is recorded in the audit log", async () => {
  const added = await visitor.submit("/console/domains/new", {
    ...fields("Example-Mail.com", "exmail  zephyr", "example-mail.net\r\nexample-mail.org\r\n"),
    step: "add",
  });
  expect(added.text).toContain("example-mail.com is now protected.");
  expect(app.app.domains.find("example-mail.com")).toMatchObject({
    keywords: ["exmail", "zephyr"],
    allow: ["example-mail.net", "example-mail.org"],
    origin: "runtime",
  });
  expect(latestAction()).toEqual([["domain.add", "example-mail.com", "127.0.0.1"]]);

  const path = "/console/domains/example-mail.com";
  expect(app.app.domains.matcher().match("kestrelpost-login.net")).toEqual([]);
  const changed = await visitor.submit(path, { keywords: "kestrelpost", allow: "" });
  expect(changed.text).toContain("Saved.");
  expect(app.app.domains.matcher().match("kestrelpost-login.net")).toHaveLength(1);
  expect(latestAction()).toEqual([["domain.change", "example-mail.com", "127.0.0.1"]]);

  await app.app.candidates.submit(["examp1e-mail.com", "login-example-mail.com"], { source: "submission" });
  const confirmation = await visitor.get(`${path}/remove`);
  expect(confirmation.text).toContain("Its 2 threats (2 active) are kept");
  expect(app.app.domains.find("example-mail.com")?.enabled).toBe(true);
  const removed = await visitor.submit(`${path}/remove`);
  expect(removed.text).toContain("example-mail.com is no longer protected. Its 2 threats are kept.");
  expect(latestAction()).toEqual([["domain.remove", "example-mail.com", "127.0.0.1"]]);
  expect(app.app.domains.matcher().match("kestrelpost-login.net")).toEqual([]);

  const again = await visitor.get(path);
  expect(again.text).toContain("This domain is no longer protected");
  await visitor.submit("/console/domains/new", { ...fields("example-mail.com", "kestrelpost"), step: "add" });
  expect(app.app.domains.find("example-mail.com")).toMatchObject({
    enabled: true,
    keywords: ["kestrelpost"],
  });
});

test.each([
  ["domain", fields("com"), 'The domain "com" is not a domain name with a label before its public suffix'],
  ["domain", fields("https://www.example.org/x"), 'did you mean "www.example.org"?'],
  ["keywords", fields("example.org", "a good_one"), 'The keyword "a" is not a word of 2 to 63 letters'],
  ["allow", fields("example.org", "", "fine.com\nnot/a/name"), 'The allowed name "not/a/name" is not'],
])("an invalid value is reported beside its field, %s", async (field, given, message) => {
  for (const step of ["look", "add"]) {
    const rejected = await visitor.post("/console/domains/new", { ...given, step });
    expect(rejected.status).toBe(400);
    const error = new RegExp(`id="${field}-error"[^>]*>([^<]*)`).exec(rejected.html)?.[1];
    expect(error?.replaceAll("&quot;", '"')).toContain(message);
  }
  expect(app.app.domains.find("example.org")).toBeUndefined();
});

test("a domain from the configuration file is marked and can be neither changed nor removed", async () => {
  const path = "/console/domains/example-bank.com";
  const shown = await visitor.get(path);
  expect(shown.text).toContain("Declared in the configuration file. To change it, edit the file.");
  expect(shown.html).not.toContain("textarea");
  expect(shown.html).not.toContain("/remove");
  const changed = await visitor.post(path, { keywords: "other", allow: "" });
  expect([changed.status, changed.text]).toEqual([400, expect.stringContaining("change it there.")]);
  expect((await visitor.submit(`${path}/remove`).catch((error: Error) => error.message)) as string).toContain(
    "remove it there",
  );
  for (const action of ["remove", "edit"])
    expect((await visitor.get(`${path}/${action}`)).location).toBe(path);
  expect(app.app.domains.find("example-bank.com")).toMatchObject({ enabled: true, keywords: ["examplepay"] });
});

test("the page of a domain shows its numbers, its threats and what was checked, each with a link", async () => {
  await visitor.submit("/console/domains/new", { ...fields("example-figures.com", "figurine"), step: "add" });
  const path = "/console/domains/example-figures.com";
  const before = await visitor.get(path);
  expect(before.text).toMatch(/Checks in progress .*Nothing found so far/);
  expect(before.text).toContain("Not scanned yet. No scan is scheduled.");
  await app.app.candidates.submit(["examp1e-figures.com", "login-example-figures.com"], {
    source: "submission",
  });
  const { text, html } = await visitor.get(path);
  expect(text).toMatch(/2 to decide .*2 new in 7 days .*nothing decided in 30 days/);
  expect(text).toContain("How they deceive 2 active threats");
  expect(html).toContain('href="/console/threats?domain=example-figures.com&amp;type=combosquatting"');
  // Two days of data are no chart.
  expect(html).not.toContain("New threats by day");
  const [threat] = app.app.threats.named("example-figures.com", ["examp1e-figures.com"]);
  expect(html).toContain(`href="/console/threats/${threat!.id}?domain=example-figures.com"`);
  app.app.threats.changeStatus([threat!.id], "resolved", {
    by: { channel: "console", name: null, address: null },
  });
  expect((await visitor.get(path)).text).toContain("1 decided in 30 days");
  expect((await visitor.get(`${path}/original`)).status).toBe(404);

  const list = await visitor.get("/console/domains?sort=new");
  expect(list.text).toMatch(/example-figures\.com figurine 1 to decide .*? 2 new in 7 days/);
});

test("among the look-alikes of a domain, those that are threats are linked and show their state", async () => {
  await visitor.submit("/console/domains/new", { ...fields("example-known.com"), step: "add" });
  const { lookAlikes } = await app.app.assessDomain({ domain: "example-known.com" });
  const names = lookAlikes.slice(0, 2).map(({ name }) => name);
  await app.app.candidates.submit(names, { source: "submission" });
  const known = app.app.threats.named("example-known.com", names);
  expect(known).toHaveLength(2);
  const { html } = await visitor.get("/console/domains/example-known.com/look-alikes");
  const linked = html.match(/href="\/console\/threats\/thr_[a-z0-9]+"/g);
  expect(linked?.toSorted()).toEqual(known.map(({ id }) => `href="/console/threats/${id}"`).sort());
  expect(html).toContain(">High, unverified<");
});

test("a preview suggests keywords and allowed names, and those that are ticked are added", async () => {
  const preview = await visitor.post("/console/domains/new", { ...fields("zephyrobank.com"), step: "look" });
  expect(preview.html).toContain('name="keyword" value="zephyro"');
  expect(preview.html).toContain('name="own" value="zephyrobank.net"');
  await visitor.submit("/console/domains/new", {
    ...fields("zephyrobank.com", "zbk"),
    keyword: "zephyro",
    own: ["zephyrobank.net", "zephyrobank.org"],
    step: "add",
  });
  expect(app.app.domains.find("zephyrobank.com")).toMatchObject({
    keywords: ["zbk", "zephyro"],
    allow: ["zephyrobank.net", "zephyrobank.org"],
  });
});

test("hostile input is rendered as text in the form and in its errors", async () => {
  const evil = '"><script>alert(1)</script>\u202e.com';
  const response = await visitor.post("/console/domains/new", { ...fields(evil, evil, evil), step: "add" });
  expect(response.status).toBe(400);
  expect(response.html).not.toContain("<script>alert");
  expect(response.text).toContain("\\u{202e}");
  expect((await visitor.get(`/console/domains/${encodeURIComponent(evil)}`)).status).toBe(404);
});

test("the list has 50 domains per page and can be searched by name or keyword", async () => {
  for (let index = 0; index < 60; index++)
    app.app.domains.add(
      { domain: `brand-${index}.org`, keywords: [`word${index}x`] },
      { by: { channel: "system", name: null, address: null } },
    );
  const first = await visitor.get("/console/domains");
  expect(first.text).toContain("1–50 of 6");
  const found = await visitor.get("/console/domains?q=WORD41x");
  expect(found.text).toContain("brand-41.org");
  expect(found.text).not.toContain("brand-42.org");
});

test("a domain page says why there is no screenshot of its home page", async () => {
  const shown = async () => (await visitor.get("/console/domains/example-bank.com")).text;
  expect(await shown()).toContain("No screenshot yet. The home page is captured within a minute, if");
  seedOriginals(app.app, "Home", "Long");
  expect(await shown()).toContain(
    "No screenshot: there was no browser when the home page was captured. Pages",
  );
});
