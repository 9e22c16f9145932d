import { afterAll, beforeAll, expect, test } from "bun:test";
import { openConsoleApp, type ConsoleApp, type Visitor } from "../support/console.ts";

let app: ConsoleApp;
let visitor: Visitor;
beforeAll(async () => {
  app = openConsoleApp({
    config: `[[protected_domains]]\ndomain = "example-bank.com"\nkeywords = ["examplepay"]`,
  });
  visitor = await app.signedIn();
});
afterAll(() => app.dispose());

const acts = () =>
  app.app.auditLog
    .list({ channel: "console" }, { limit: 1, offset: 0 })
    .map(({ action, subject, address }) => [action, subject, address]);
const fields = (domain: string, keywords = "", allow = "") => ({ domain, keywords, allow });

test("a domain is looked at first, which adds nothing: its brand words, and look-alikes of every kind", async () => {
  const looked = await visitor.post("/console/domains/new", {
    ...fields("Chase.example.", "Kestrel, post", "chase.test"),
    step: "look",
  });
  expect(looked.status).toBe(200);
  expect(looked.text).toContain('chase : "chase" is a word of its own');
  expect(looked.text).toContain("login-chase.example combosquatting");
  expect(looked.text).toMatch(/homograph .* doppelganger .* tld squatting/);
  // What was typed stands in the form still.
  expect(looked.html).toContain('value="Chase.example."');
  expect(looked.html).toContain('value="Kestrel, post"');
  expect(app.app.domains.find("chase.example")).toBeUndefined();
});

test("one is added, changed and removed; each is followed at once and written to the audit log", async () => {
  const added = await visitor.submit("/console/domains/new", {
    ...fields("Example-Mail.com", "exmail  zephyr", "example-mail.net\r\nexample-mail.org\r\n"),
    step: "add",
  });
  expect(added.text).toContain("example-mail.com is protected from now on.");
  expect(app.app.domains.find("example-mail.com")).toMatchObject({
    keywords: ["exmail", "zephyr"],
    allow: ["example-mail.net", "example-mail.org"],
    origin: "runtime",
  });
  expect(acts()).toEqual([["domain.add", "example-mail.com", "127.0.0.1"]]);

  const path = "/console/domains/example-mail.com";
  expect(app.app.domains.matcher().match("kestrelpost-login.net")).toEqual([]);
  const changed = await visitor.submit(path, { keywords: "kestrelpost", allow: "" });
  expect(changed.text).toContain("Saved.");
  expect(app.app.domains.matcher().match("kestrelpost-login.net")).toHaveLength(1);
  expect(acts()).toEqual([["domain.change", "example-mail.com", "127.0.0.1"]]);

  await app.app.candidates.submit(["examp1e-mail.com", "login-example-mail.com"], { source: "submission" });
  const asked = await visitor.get(`${path}/remove`);
  expect(asked.text).toContain("Its 2 threats (2 active) stay as they are");
  expect(app.app.domains.find("example-mail.com")?.enabled).toBe(true);
  const removed = await visitor.submit(`${path}/remove`);
  expect(removed.text).toContain("example-mail.com is protected no longer. Its 2 threats are kept.");
  expect(acts()).toEqual([["domain.remove", "example-mail.com", "127.0.0.1"]]);
  expect(app.app.domains.matcher().match("kestrelpost-login.net")).toEqual([]);

  const again = await visitor.get(path);
  expect(again.text).toContain("It is not protected any more");
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
])(
  "what cannot be taken is said at its field, and what was typed stays: %s",
  async (field, given, message) => {
    for (const step of ["look", "add"]) {
      const refused = await visitor.post("/console/domains/new", { ...given, step });
      expect(refused.status).toBe(400);
      const error = new RegExp(`id="${field}-error"[^>]*>([^<]*)`).exec(refused.html)?.[1];
      expect(error?.replaceAll("&quot;", '"')).toContain(message);
    }
    expect(app.app.domains.find("example.org")).toBeUndefined();
  },
);

test("what the configuration file declares is marked with the reason, and can be neither changed nor removed", async () => {
  const path = "/console/domains/example-bank.com";
  const shown = await visitor.get(path);
  expect(shown.text).toContain(
    "configuration file Declared in the configuration file, which is read again at every start: change it there.",
  );
  expect(shown.html).not.toContain("textarea");
  expect(shown.html).not.toContain("/remove");
  const changed = await visitor.post(path, { keywords: "other", allow: "" });
  expect([changed.status, changed.text]).toEqual([400, expect.stringContaining("change it there.")]);
  expect((await visitor.submit(`${path}/remove`).catch((error: Error) => error.message)) as string).toContain(
    "take it out there",
  );
  expect((await visitor.get(`${path}/remove`)).location).toBe(path);
  expect(app.app.domains.find("example-bank.com")).toMatchObject({ enabled: true, keywords: ["examplepay"] });
});

test("hostile input is shown as text in the form and in what is said of it", async () => {
  const evil = '"><script>alert(1)</script>\u202e.com';
  const answer = await visitor.post("/console/domains/new", { ...fields(evil, evil, evil), step: "add" });
  expect(answer.status).toBe(400);
  expect(answer.html).not.toContain("<script>alert");
  expect(answer.text).toContain("\\u{202e}");
  expect((await visitor.get(`/console/domains/${encodeURIComponent(evil)}`)).status).toBe(404);
});

test("of many domains fifty stand on a page, and one is found by its name or keyword", async () => {
  for (let index = 0; index < 60; index++)
    app.app.domains.add(
      { domain: `brand-${index}.org`, keywords: [`word${index}x`] },
      { channel: "system", name: null, address: null },
    );
  const first = await visitor.get("/console/domains");
  expect(first.text).toContain("1–50 of 6");
  const found = await visitor.get("/console/domains?q=WORD41x");
  expect(found.text).toContain("brand-41.org");
  expect(found.text).not.toContain("brand-42.org");
});
