import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addThreats } from "../../support/console-threats.ts";
import { openConsoleApp, type ConsoleApp, type Visitor } from "../../support/console.ts";
import { tester } from "../../support/console-pages.ts";
import { permissions } from "../../../src/platform/vocabulary/permissions.ts";
import iconShapes from "../../../src/web/console/kit/icons.json" with { type: "json" };
import actions from "../../../src/web/console/pages/commands/actions.json" with { type: "json" };
import shortcuts from "../../../src/web/console/pages/commands/shortcuts.json" with { type: "json" };

const path = "/console/commands";
const asked = { "x-fragment": "commands" };

describe("the search of the console", () => {
  let app: ConsoleApp;
  let visitor: Visitor;
  let ids: string[];
  beforeAll(async () => {
    app = openConsoleApp({
      config: `[[protected_domains]]\ndomain = "example-bank.com"\nkeywords = ["examplepay"]`,
    });
    ids = addThreats(app.app, Date.now(), [
      { domain: "examp1e-bank.com", type: "homograph" },
      { domain: "example-bank-login.com" },
    ]);
    app.app.webhooks.endpoints.add(
      { url: "http://127.0.0.1:9/", name: `soc"><script>`, events: ["threat.created"] },
      { by: tester },
    );
    visitor = await app.signedIn();
  });
  afterAll(() => app.dispose());

  const results = async (query: string) => (await visitor.get(`${path}?q=${encodeURIComponent(query)}`)).html;

  test("finds threats of any status by a part of their name, and links to them", async () => {
    app.app.threats.changeStatus([ids[0]!], "resolved", { by: tester });
    const html = await results("examp1e");
    expect(html).toContain(`href="/console/threats/${ids[0]}"`);
    expect(html).not.toContain(`href="/console/threats/${ids[1]}"`);
    expect(html).toContain("Resolved");
  });

  test("finds protected domains by name and keyword, pages, actions and recipients by any of their words", async () => {
    expect(await results("examplepay")).toContain('href="/console/domains/example-bank.com"');
    expect(await results("sour")).toContain('href="/console/sources"');
    expect(await results("key new")).toContain('href="/console/settings/keys/create"');
    expect(await results("SOC")).toMatch(/href="\/console\/settings\/webhooks\/whk_\w+"/);
    expect(await results("no such thing")).toContain('href="/console/names?q=no+such+thing"');
  });

  test("offers actions and pages without a query, and a form for an action that changes something", async () => {
    const html = await results("");
    expect(html).toContain("Add a protected domain");
    expect(html).toContain('href="/console/settings/audit"');
    expect(await results("sign out")).toMatch(/<form method="post" action="\/console\/sign-out">/);
  });

  test("has an icon and a permission that exist for each action and shortcut", () => {
    const shown = [...Object.values(actions), ...shortcuts.flatMap(({ keys }) => keys)];
    const icons = shown.flatMap((one) => ("icon" in one ? [one.icon] : []));
    const needs = shown.flatMap((one) => ("needs" in one ? [one.needs] : []));
    expect(icons.filter((icon) => !Object.hasOwn(iconShapes, icon))).toEqual([]);
    expect(needs.filter((need) => !permissions.some((one) => one === need))).toEqual([]);
    expect([icons.length, needs.length]).toEqual([20, 9]);
  });

  test("escapes names and the query", async () => {
    for (const query of ["soc", `"><script>alert(1)</script>\u202E`]) {
      expect(await results(query)).not.toContain("<script>");
      const { html } = await visitor.get(`${path}?q=${encodeURIComponent(query)}`, asked);
      expect(html).not.toMatch(/<script|\u202E/);
    }
    expect(await results("a\u202Eb")).toContain("\\u{202e}");
  });

  test("sends the script a list box with options, and nothing around it", async () => {
    const { html } = await visitor.get(`${path}?q=examp`, asked);
    expect(html).toStartWith('<div id="command-results" role="listbox"');
    expect(html.match(/role="option"/g)!.length).toBeGreaterThan(2);
    expect(await results("examp")).not.toContain('role="option"');
  });
});
