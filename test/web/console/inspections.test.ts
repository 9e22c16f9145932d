import { afterAll, beforeAll, expect, test } from "bun:test";
import { addPerson } from "../../support/accounts.ts";
import { openConsoleApp, type ConsoleApp, type Visitor } from "../../support/console.ts";
import { hostileText, tester } from "../../support/console-pages.ts";
import { seedInspections } from "../../support/inspection-samples.ts";

let app: ConsoleApp;
let visitor: Visitor;
let samples: ReturnType<typeof seedInspections>;
beforeAll(async () => {
  app = openConsoleApp({
    lookups: true,
    config: `[[protected_domains]]
domain = "example-shop.com"`,
  });
  app.app.domains.add({ domain: "example-bank.com", allow: ["example-bank.net"] }, { by: tester });
  samples = seedInspections(app.app, "", `${hostileText}x`);
  visitor = await app.signedIn();
});
afterAll(() => app.dispose());

/** Sends the form as a browser does, and returns the page that it redirects to. */
async function inspect(addresses: string, file = new File([], "")) {
  const form = new FormData();
  form.set("form_token", await visitor.formToken());
  form.set("addresses", addresses);
  form.set("file", file);
  const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
  const response = await fetch(`${app.url}/console/inspections`, {
    method: "POST",
    body: form,
    headers: { origin: app.url, cookie },
    redirect: "manual",
  });
  expect(response.status).toBe(303);
  return visitor.get(response.headers.get("location")!);
}

const email = `From: "Example Bank" <service@mail.shoes.example>
To: ada@example-shop.com
Subject: Your account
Content-Type: text/html; charset=utf-8

<p>Please <a href="https://login.examp1e-bank.com/confirm?id=7">confirm</a> your account at
<a href="https://www.example-bank.com/">example-bank.com</a>.</p>
`;

test("a pasted email is taken apart, its names are checked, and its links are inspected before all others", async () => {
  const { text } = await inspect("", new File([email], "suspicious.eml"));
  expect(text).toContain("link in the email hxxps[:]//login[.]examp1e-bank[.]com/confirm?id=7 requested");
  expect(text).toContain("1 name resembles a protected domain and is a new threat.");
  expect(text).not.toContain("www[.]example-bank[.]com");
  expect(app.app.inspection.inspections.of("login.examp1e-bank.com")).toMatchObject([
    { priority: "person", source: "submission", origin: { kind: "console", name: "admin" }, state: "queued" },
  ]);
  expect((await visitor.get("/console/sources")).text).toContain("Imports and typed names now");
  expect(app.app.auditLog.list({}, { limit: 5, offset: 0 }).map(({ action }) => action)).toContain(
    "inspection.request",
  );
});

test("each entered line says how it was read and whether its page is opened", async () => {
  const { text } = await inspect(
    "hxxps://shoes[.]example/login\nads@evil.example\nexample-bank.net\nhttp://192.0.2.7/x\nno name here\n",
  );
  for (const shown of [
    "hxxps://shoes[.]example/login link hxxps[:]//shoes[.]example/login requested",
    "ads@evil.example email address evil[.]example requested",
    "example-bank.net name example-bank[.]net It is your own or an allowed name, which is never fetched",
    "http://192.0.2.7/x",
    "Not read: no name here",
    "addresses entered by people wait.",
  ])
    expect(text).toContain(shown);
  const again = await inspect("https://shoes.example/login");
  expect(again.text).toContain("requested");
  expect(app.app.inspection.inspections.of("shoes.example")).toHaveLength(1);
});

test("a long list is followed to its end, apart from what others request", async () => {
  const hosts = Array.from({ length: 130 }, (_, index) => `store${index}.example`);
  const wrong = Array.from({ length: 12 }, (_, index) => `no address ${index}`);
  const { text, html } = await inspect([...hosts, ...wrong, "cheap-shoes.example"].join("\n"));
  for (const shown of [
    "131 addresses are inspected, 12 lines were not read.",
    "How the first 100 addresses were read",
    "Lines that were not read: 12",
    "Not read: no address 11 contains a space",
    "Of 131 addresses: 131 wait",
    "1–50 of 131",
  ])
    expect(text).toContain(shown);
  expect(text).not.toContain("Nothing waits.");
  const again = await inspect([...hosts, "cheap-shoes.example"].join("\n"));
  expect(again.text).toContain("0 addresses are inspected, 131 already waited.");
  expect(again.text).toContain("Of 131 addresses: 131 wait");
  const [waiting] = app.app.inspection.inspections.of("store7.example");
  app.app.database.sqlite.run(
    "update inspections set state = 'failed', reason = 'no connection' where id = ?",
    [waiting!.id],
  );
  await inspect("later.example");
  const progress = /href="([^"]*outcome=waiting[^"]*)"/.exec(html)![1]!.replaceAll("&amp;", "&");
  const left = await visitor.get(progress);
  expect(left.text).toContain("Of 131 addresses: 1 could not be opened , 130 wait");
  expect(left.text).toContain("1–50 of 130");
  const failed = await visitor.get(progress.replace("outcome=waiting", "outcome=failed"));
  const file = /href="([^"]*\/inspections\/export[^"]*)"/.exec(failed.html)![1]!.replaceAll("&amp;", "&");
  const lines = (await visitor.get(file)).html.split("\r\n");
  expect(lines[0]).toStartWith("address,domain,result,protected_domain,score,reason,");
  expect(lines[1]).toStartWith("store7.example,store7.example,could not be opened,,,no connection,");
  expect(lines.slice(2)).toEqual([""]);
  expect((await visitor.get("/console/inspections/export")).html.split("\r\n").length).toBeGreaterThan(138);
  expect(failed.text).toContain("store7[.]example Could not be opened no connection");
  expect(failed.html).toContain('type="hidden" name="first"');
  expect(failed.text).not.toContain("gone[.]example");
  expect((await visitor.get(progress.replace("by=admin", "by=ada"))).text).toContain(
    "No inspection matches these filters.",
  );
});

test("nothing to read is an error that says what to do", async () => {
  expect((await inspect("  \n ")).text).toContain("Enter an address, or choose a file.");
});

test("an inspection shows what was opened, and how much each signal contributes", async () => {
  const { text, html } = await visitor.get(`/console/inspections/${samples.inspection}`);
  for (const shown of [
    "Imitates example-bank.com Score 0.99",
    "It shows pictures of https://example-bank.com/login +4.1",
    "Its host name and its content agree on the name “shoes” −0.5",
    "Closest original: https://example-bank.com/login",
    "Shown at hxxps[:]//cheap-shoes[.]example/wp-content/login/index[.]php",
    "Asks for a password",
    "Shown only to an iPhone, not to the first visit",
    "By ada (console)",
  ])
    expect(text).toContain(shown);
  // Nobody should open it by mistake.
  expect(html).not.toContain('href="https://cheap-shoes.example');
});

test("a click inspects a page again at once, also within an hour of its last inspection", async () => {
  const { text, html } = await visitor.submit(`/console/inspections/${samples.inspection}/again`);
  expect(text).toContain("Inspect now");
  expect(text).toContain("Waiting");
  // The head gets the link to the threat when there is one.
  expect(html).toContain("data-refresh-page");
  const [newest] = app.app.inspection.inspections.of("cheap-shoes.example");
  expect(newest).toMatchObject({ priority: "person", state: "queued", reason: null });
  expect(newest!.dueAt).toBeLessThanOrEqual(Date.now());
});

test("texts of strangers are shown as text", async () => {
  const { html, status } = await visitor.get(`/console/inspections/${samples.oddInspection}`);
  expect(status).toBe(200);
  expect(html).not.toMatch(/<script>alert|<img src=x/);
});

test("the list can be limited by result, protected domain, source and address", async () => {
  const list = async (query: string) => (await visitor.get(`/console/inspections?${query}`)).text;
  const imitations = await list("outcome=imitation&domain=example-bank.com");
  expect(imitations).toContain("cheap-shoes[.]example");
  expect(imitations).not.toContain("news[.]example");
  expect(await list("outcome=waiting")).toContain("inspected less than an hour ago ; starts in");
  expect(await list("outcome=failed")).toContain("gone[.]example");
  expect(await list("q=wp-content&source=submission")).toContain("cheap-shoes[.]example");
  for (const text of ["WP-Content", "hxxps://cheap-shoes[.]example/wp"])
    expect(await list(`q=${encodeURIComponent(text)}`)).not.toContain("No inspection matches these filters.");
  expect(await list("q=no-such-address")).toContain("No inspection matches these filters.");
});

test("the list can be limited to what one feed, API key or account named", async () => {
  const { html } = await visitor.get("/console/inspections?q=cheap-shoes.example/wp-content");
  const link = /href="([^"]*origin=console[^"]*)">[^<]*<[^>]*>ada/.exec(html)![1]!.replaceAll("&amp;", "&");
  const { text } = await visitor.get(link);
  expect(text).toContain("cheap-shoes[.]example");
  expect(text).not.toContain("admin (console)");
  await app.app.inspection.inspections.request(["https://fed.example/"], {
    priority: "feed",
    source: "feed",
    origin: { kind: "feed", name: "gateway" },
  });
  const fed = await visitor.get("/console/inspections?origin=feed&name=gateway");
  expect(fed.text).toEndWith("Requested Threat hxxps[:]//fed[.]example/ Waiting now feed gateway");
});

test("a person records a page as a threat that the comparison did not recognize", async () => {
  const [missed] = app.app.inspection.inspections.of("news.example");
  const path = `/console/inspections/${missed!.id}/threat`;
  expect((await visitor.get(path)).text).toContain("Imitated protected domain");
  const unknown = await visitor.post(path, { protected_domain: "weather.example" });
  expect([unknown.status, unknown.text.includes("Choose a protected domain.")]).toEqual([400, true]);
  const twice = [1, 2].map(() => visitor.submit(path, { protected_domain: "example-bank.com" }));
  const [{ text }] = (await Promise.all(twice)) as [{ text: string }, unknown];
  expect(text).toContain("The threat is on record.");
  const note = "Recorded by hand: the page imitates example-bank.com. Its inspection gave the score 0.0211.";
  const threat = await visitor.get(
    `/console/threats/${app.app.inspection.inspections.get(missed!.id)!.threatId}`,
  );
  expect(threat.text.split(note)).toHaveLength(2);
  expect(text).toContain("Cloned site");
  // The list shows what is left to decide.
  expect((await visitor.get("/console/inspections?q=news.example")).text).toContain("ada (console) Active");
  const inspection = await visitor.get(`/console/inspections/${missed!.id}`);
  expect(inspection.text).toContain("Open threat");
  expect(inspection.text).not.toContain("This is a threat");
});

test("administrators allow the name of a harmless page, after a question", async () => {
  const path = `/console/inspections/${samples.inspection}/allow`;
  const analyst = await addPerson(app, { name: "ana", role: "analyst" });
  expect((await analyst.get(path)).status).toBe(403);
  expect((await visitor.get(path)).text).toContain("Allow cheap-shoes.example for example-bank.com?");
  await visitor.submit(path);
  expect(app.app.domains.find("example-bank.com")!.allow).toEqual([
    "example-bank.net",
    "cheap-shoes.example",
  ]);
});

test("without lookups, the page says what is off and which key turns it on", async () => {
  const off = openConsoleApp({ config: `[[protected_domains]]\ndomain = "example-bank.com"` });
  const { text, html } = await (await off.signedIn()).get("/console/inspections");
  expect(text).toContain("Pages are not fetched because lookups.enabled is false.");
  expect(text).toContain("lookups.enabled = true");
  expect(html).not.toContain('name="addresses"');
  seedInspections(off.app, "", hostileText);
  const [waiting] = off.app.inspection.inspections.list(
    { states: ["queued"] },
    { page: 1, perPage: 1 },
  ).inspections;
  const list = await (await off.signedIn()).get("/console/inspections?outcome=waiting");
  expect(list.text).not.toContain("starts in");
  const shown = await (await off.signedIn()).get(`/console/inspections/${waiting!.id}`);
  expect(shown.text).toContain("It starts when that is on.");
  expect(shown.text).not.toContain("starts in");
  await off.dispose();
});

test("of a long list, the first twenty addresses come before programs, and the others after them", async () => {
  const own = Array.from({ length: 30 }, (_, index) => `https://example-bank.com/${index}`);
  const listed = Array.from({ length: 25 }, (_, index) => `https://host${index}.long-list.example/`);
  await inspect([...own, ...listed].join("\n"));
  const { inspections } = app.app.inspection.inspections.list(
    { text: "long-list" },
    { page: 1, perPage: 30 },
  );
  const priorities = inspections.toReversed().map(({ priority }) => priority);
  expect(priorities).toEqual([
    ...Array.from({ length: 20 }, () => "person" as const),
    ...Array.from({ length: 5 }, () => "submission" as const),
  ]);
});
