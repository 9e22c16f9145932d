import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { consolePages, sampleConfig, seedSamples, type Samples } from "../../support/console-pages.ts";
import { openConsoleApp, type ConsoleApp, type Visitor } from "../../support/console.ts";
import { startReceiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";

/** Facts on one page that must not contradict each other. */

const webhooks = "/console/settings/webhooks";
const offersCheck = /Check (now|again)|check now|first check|Checks are repeated|Checking…/;
const saysLookupsAreOff = /[Ll]ookups are off|lookups\.enabled is false/;
const pagesWithSession = consolePages.filter(({ signedOut }) => signedOut !== true);

describe("with the data of a team", () => {
  let app: ConsoleApp;
  let samples: Samples;
  let visitor: Visitor;
  beforeAll(async () => {
    app = openConsoleApp({ config: sampleConfig });
    samples = await seedSamples(app.app);
    visitor = await app.signedIn();
  });
  afterAll(() => app.dispose());

  const texts = new Map<string, string>();
  /** Reads each page once. */
  async function textOf({ name, path }: (typeof consolePages)[number]): Promise<string> {
    const text = texts.get(name) ?? (await visitor.get(path(samples))).text;
    texts.set(name, text);
    return text;
  }

  test.each([
    "/console/threats",
    "/console/scans",
    "/console/domains",
    "/console/settings/keys",
    "/console/settings/notifications",
    "/console/settings/webhooks",
    "/console/settings/audit",
    "/console/beacons",
    "/console/honeytokens",
  ])(
    "a page past the end of %s says so, links to the last page, and does not call the list empty",
    async (path) => {
      const first = await visitor.get(path);
      const { html, text, status } = await visitor.get(`${path}?page=999`);
      expect(status).toBe(200);
      expect(text).toMatch(/There is no page 999: the list has \d+ pages?\. Go to the last page/);
      expect(text).not.toMatch(/No \w+( \w+)? yet|None yet|No threats/);
      const [, last] = new RegExp(`<a href="(${path}[?]page=\\d+)">Go to the last page`).exec(html)!;
      const { text: shown } = await visitor.get(last!);
      expect(shown).not.toContain("There is no page");
      expect(first.text).not.toContain("There is no page");
    },
  );

  test.each(pagesWithSession)(
    "$name says of nothing that it is running and finished, or empty and not",
    async (page) => {
      const text = await textOf(page);
      expect(text).not.toMatch(/ScanFinished|undefined|NaN|\bnull\b|Invalid Date|\[object/);
      for (const [one, other] of [
        [/A scan is running/, /Scan finished/],
        [/All is well|Nothing needs attention/, /Needs attention \d/],
        [/No deliveries yet/, /(delivered|failed) after \d+ attempt/],
        [/No attempts yet/, /after \d+ attempts?,/],
      ] as const)
        expect([one, other, one.test(text) && other.test(text)]).toEqual([one, other, false]);
    },
  );

  test("no check is offered or announced while lookups are off, and the page of a threat says that they are", async () => {
    const off: string[] = [];
    for (const page of pagesWithSession) {
      const text = await textOf(page);
      expect([page.name, offersCheck.exec(text)?.[0]]).toEqual([page.name, undefined]);
      if (saysLookupsAreOff.test(text)) off.push(page.name);
    }
    expect(off).toContain("threat-unknown");
  });
});

describe("of a webhook endpoint", () => {
  let app: ConsoleApp;
  let visitor: Visitor;
  let receiver: ReturnType<typeof startReceiver>;
  let status = 200;
  beforeAll(async () => {
    receiver = startReceiver(() => new Response("", { status }));
    app = openConsoleApp({ config: '[[protected_domains]]\ndomain = "example-bank.com"' });
    await app.app.start();
    visitor = await app.signedIn();
  });
  afterAll(async () => {
    await app.dispose();
    await receiver.stop();
  });

  test("a test that was delivered is not followed by the claim that nothing was sent", async () => {
    const added = await visitor.submit(`${webhooks}/add`, { url: receiver.url, name: "soc", test: "yes" });
    expect(added.text).toContain("Test delivered: status 200");
    expect(added.text).not.toMatch(/nothing was sent|No deliveries yet/i);
    expect(added.text).toContain("No events have been sent to it yet. Tests are not listed here.");
  });

  test("the number of attempts agrees with the list of attempts once a delivery was sent again", async () => {
    status = 400;
    const type = "typosquatting" as const;
    const match = { protectedDomain: "example-bank.com", type, similarity: 0.9, reasons: [] };
    app.app.threats.record([{ domain: "examp1e-bank.com", match, source: "feed", seenAt: Date.now() }]);
    const { log } = app.app.deliveries;
    await until(() => log.list({}, 1)[0]?.attempts === 1, "the first attempt fails");
    const { id } = log.list({}, 1)[0]!;
    const path = `${webhooks}/deliveries/${id}`;
    status = 200;
    await visitor.submit(`${path}/send`);
    await until(() => log.get(id)!.status === "succeeded", "it is delivered");
    expect(log.attempts(id).length).toBe(2);
    const { text } = await visitor.get(path);
    expect(text).toContain("At attempt 2, the first since it was sent again");
  });
});

test("checks are offered while lookups are enabled, and no page says that they are off", async () => {
  const app = openConsoleApp({ config: sampleConfig, lookups: true });
  const samples = await seedSamples(app.app);
  const visitor = await app.signedIn();
  const offering: string[] = [];
  for (const { name, path } of pagesWithSession) {
    const { text } = await visitor.get(path(samples));
    if (offersCheck.test(text)) offering.push(name);
    expect([name, saysLookupsAreOff.exec(text)?.[0]]).toEqual([name, undefined]);
  }
  expect(offering).toContain("threat-unknown");
  await app.dispose();
});

test("errors for what does not exist are worded the same way in console, API and command line", () => {
  const root = join(import.meta.dir, "../../../src");
  const worded: string[] = [];
  for (const path of new Bun.Glob("**/*.{ts,tsx}").scanSync(root)) {
    const text = readFileSync(join(root, path), "utf8");
    for (const [, message] of text.matchAll(/\bnotFound\(\s*["`]([^"`]+)/g))
      worded.push(message!.replaceAll(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, "X"));
  }
  expect(worded.length).toBeGreaterThan(15);
  const form = /^There is no [\w ]+? (with this (ID|name|number|path)|(at|for) this [\w ]+|X)\b/;
  const others = worded.filter((one) => /there is no|no such|not found/i.test(one) && !form.test(one));
  // These have no identifier.
  expect([...new Set(others)].sort()).toEqual([
    "There is no screenshot of the protected domain.",
    "There is no stored registration response.",
  ]);
});
