import { afterAll, beforeAll, expect, test } from "bun:test";
import { tester } from "../../support/console-pages.ts";
import { openConsoleApp, type ConsoleApp, type Visitor } from "../../support/console.ts";

const path = "/console/settings/lists";
const filter = { statuses: "active", min_severity: "low", protected_domains: "", max_age: "" };
let opened: ConsoleApp;
let visitor: Visitor;
beforeAll(async () => {
  opened = openConsoleApp({
    config: `[[protected_domains]]\ndomain = "example-bank.com"
[[lists]]\nname = "declared"\ntoken = "a-token-of-the-configuration"`,
  });
  visitor = await opened.signedIn();
  const match = {
    protectedDomain: "example-bank.com",
    type: "typosquatting" as const,
    similarity: 0.9,
    reasons: [],
  };
  const seenAt = Date.now();
  opened.app.threats.record(
    ["examp1e-bank.com", "xn--exmple-bank-m8a.com"].map((domain) => ({
      domain,
      match,
      source: "feed",
      seenAt,
    })),
  );
});
afterAll(() => opened.dispose());

const lists = () => opened.app.lists;

test("a list is added, shown with its first names and its addresses, and found under each of them", async () => {
  const response = await visitor.submit(`${path}/add`, { ...filter, name: "block" });
  expect(response.text).toContain("block has been added.");
  const { id } = lists().get("block");
  const { html, text } = await visitor.get(`${path}/${id}`);
  expect(text).toContain("ex ä mple-bank.com xn--exmple-bank-m8a.com example-bank.com typosquatting");
  const addresses = [...html.matchAll(/data-copy="(http[^"]+)"/g)].map(([, address]) => address!);
  expect(addresses).toHaveLength(8);
  for (const address of addresses) {
    const { pathname } = new URL(address);
    const downloaded = await fetch(
      `http://127.0.0.1:${opened.app.server.publicUrl.split(":").at(-1)}${pathname}`,
    );
    expect([pathname, downloaded.status]).toEqual([pathname, 200]);
    expect(await downloaded.text()).toContain("examp1e-bank.com");
  }
  const overview = await visitor.get(path);
  expect(overview.text).toContain("block active; any severity 2");
  expect(overview.text).toContain("now by 127.0.0.1 Enabled");
  expect(overview.html).not.toContain(lists().get("block").token);
});

test("a false positive that is marked in the console is gone from the next download", async () => {
  const list = lists().get("block");
  const url = `${opened.app.server.publicUrl}/lists/${list.token}/block.txt`;
  expect(await (await fetch(url)).text()).toContain("examp1e-bank.com\n");
  const { threats } = opened.app.threats.list({}, { page: 1, perPage: 10 });
  const threat = threats.find(({ domain }) => domain === "examp1e-bank.com");
  await visitor.post(`/console/threats/${threat!.id}/status`, { status: "false_positive" });
  expect(await (await fetch(url)).text()).toBe("xn--exmple-bank-m8a.com\n");
});

test("the error of invalid input is shown beside its field, and the form keeps what was entered", async () => {
  const { id } = lists().get("block");
  for (const [form, fields, message, at] of [
    ["add", { name: "a/b" }, '"a/b" is not a name of 1 to 64 ASCII letters', "name"],
    ["add", { name: "block" }, "A list named block exists already; choose another name.", "name"],
    [
      "add",
      { name: "other", max_age: "a month" },
      "The maximum age must be a whole number with a unit",
      "max_age",
    ],
    ["add", { name: "other", max_age: "5m" }, "The maximum age must be from 1h to 3650d.", "max_age"],
    [
      `${id}/edit`,
      { statuses: [] },
      "Choose one or more of these statuses: active, resolved, false_positive.",
      "statuses",
    ],
    [
      `${id}/edit`,
      { protected_domains: "com" },
      'The protected domain "com" is not a domain name',
      "protected_domains",
    ],
  ] as const) {
    const response = await visitor.post(`${path}/${form}`, { ...filter, ...fields });
    expect([response.status, response.text]).toEqual([400, expect.stringContaining(message)]);
    expect(response.html).toContain(`id="${at}-error">`);
    if ("name" in fields) expect(response.html).toContain(`value="${fields.name}"`);
  }
});

test("a list is changed, disabled, enabled, given a new token and removed", async () => {
  const { id, token } = lists().get("block");
  const one = `${path}/${id}`;
  await visitor.submit(`${one}/edit`, {
    ...filter,
    min_severity: "high",
    verified_only: "yes",
    max_age: "30d",
  });
  expect(lists().get(id)).toMatchObject({ minSeverity: "high", verifiedOnly: true, maxAgeMs: 2_592_000_000 });
  expect((await visitor.get(one)).text).toContain("No threats match the filter of this list.");
  expect((await visitor.submit(`${one}/disable`)).text).toContain(
    "block is disabled: its addresses return 404.",
  );
  expect((await visitor.submit(`${one}/enable`)).text).toContain("block is enabled.");
  expect((await visitor.get(`${one}/rotate`)).text).toContain("The current ones return 404 at once");
  await visitor.submit(`${one}/rotate`);
  expect(lists().get(id).token).not.toBe(token);
  expect((await visitor.submit(`${one}/remove`)).text).toContain("block has been removed.");
  expect((await visitor.get(one)).status).toBe(404);
  const actions = opened.app.auditLog.list({ channel: "console" }, { limit: 5, offset: 0 });
  expect(actions.map(({ action }) => action)).toEqual([
    "list.remove",
    "list.rotate",
    "list.enable",
    "list.disable",
    "list.change",
  ]);
});

test("a declared list can be disabled, is changed in the configuration file only, and can be removed when it is gone from there", async () => {
  const { id } = lists().get("declared");
  const { html, text } = await visitor.get(`${path}/${id}`);
  expect(text).toContain("Declared as [[lists]] in the configuration file");
  expect(html).not.toMatch(/\/(edit|rotate|remove)"/);
  for (const action of ["edit", "rotate", "remove"])
    expect((await visitor.post(`${path}/${id}/${action}`, filter)).status).toBe(400);
  expect((await visitor.submit(`${path}/${id}/disable`)).text).toContain("declared is disabled");
  lists().enable(id, { by: tester });

  lists().reconcile([]);
  const undeclared = await visitor.get(`${path}/${id}`);
  expect(undeclared.text).toContain("no longer declared");
  expect(undeclared.html).not.toMatch(/\/(edit|rotate|enable|disable)"/);
  expect((await visitor.submit(`${path}/${id}/remove`)).text).toContain("declared has been removed.");
});
