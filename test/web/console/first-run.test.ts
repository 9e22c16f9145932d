/** The setup after the first sign-in. */
import { afterEach, expect, test } from "bun:test";
import { consolePassword, openConsoleApp, type ConsoleApp } from "../../support/console.ts";
import { startReceiver } from "../../support/receiver.ts";

const declared = `[[protected_domains]]\ndomain = "example-bank.com"`;
const by = { channel: "system", name: null, address: null } as const;

let app: ConsoleApp;
afterEach(() => app.dispose());

/** Signs in and returns the page to which that leads. */
async function homeOf(visitor = app.visitor()): Promise<string | null> {
  return (await visitor.post("/console/sign-in", { password: consolePassword })).location;
}

/** Returns the titles of the steps that are marked as done. */
const doneIn = (html: string) =>
  [...html.matchAll(/<span class="dot ok">.*?<h2>([^<]*)<\/h2>/g)].map(([, title]) => title!);

/** Returns the title of the step that is open. */
const openIn = (html: string) => /<details class="step" id="\w+" open.*?<h2>([^<]*)/.exec(html)?.[1];

test("a sign-in leads to the setup until a domain is protected or the setup is skipped, and nobody is kept there", async () => {
  app = openConsoleApp();
  const visitor = app.visitor();
  expect(await homeOf(visitor)).toBe("/console/welcome");
  // The overview stays open, and leads back.
  const overview = await visitor.get("/console");
  expect(overview.text).toContain("Finish setting up 5 of 5 steps left. Next: protect a domain.");

  const skipped = await visitor.submit("/console/welcome/skip");
  expect(skipped.text).toContain("The setup is no longer offered. Resume setup");
  expect((await visitor.get("/console")).text).not.toContain("Finish setting up");
  expect(await homeOf()).toBe("/console");

  expect((await visitor.submit("/console/welcome/resume")).text).toContain("Set up phishwatch");
  expect(await homeOf()).toBe("/console/welcome");
  app.app.domains.add({ domain: "example-mail.com" }, { by });
  expect(await homeOf()).toBe("/console");
  expect((await visitor.get("/console")).text).toContain("4 of 5 steps left. Next: check the sources.");
});

test("with a declared domain, a sign-in leads to the overview, and the setup begins with the next open step", async () => {
  app = openConsoleApp({ config: declared });
  expect(await homeOf()).toBe("/console");
  const { html } = await (await app.signedIn()).get("/console/welcome");
  expect([doneIn(html), openIn(html)]).toEqual([["Protect a domain"], "Check the sources"]);
  // Nothing is left to type in a step that is done.
  expect(html).not.toContain('action="/console/welcome/domain"');
});

test("the domain is previewed with suggestions before it is added, and errors are beside their field", async () => {
  app = openConsoleApp();
  const visitor = await app.signedIn();
  const path = "/console/welcome/domain";
  const preview = await visitor.post(path, { domain: "zephyrobank.com", step: "look" });
  expect(preview.status).toBe(200);
  expect(preview.text).toContain("Look-alikes of zephyrobank.com that are searched for");
  expect(preview.html).toContain('name="own" value="zephyrobank.net"');
  expect(app.app.domains.list()).toEqual([]);
  const wrong = await visitor.post(path, { domain: '"><script>no</script>', step: "add" });
  expect([wrong.status, openIn(wrong.html)]).toEqual([400, "Protect a domain"]);
  expect(wrong.html).toContain('id="domain-error"');
  expect(wrong.html).not.toContain("<script>no");
  const added = await visitor.submit(path, {
    domain: "zephyrobank.com",
    own: "zephyrobank.net",
    step: "add",
  });
  expect(added.text).toContain("zephyrobank.com is now protected.");
  expect(app.app.domains.find("zephyrobank.com")?.allow).toEqual(["zephyrobank.net"]);
  expect(doneIn(added.html)).toEqual(["Protect a domain"]);
});

test("a channel is added with a subscription for new threats, or the error says what to change", async () => {
  app = openConsoleApp({ config: declared });
  const visitor = await app.signedIn();
  const path = "/console/welcome/channel";
  const wrong = await visitor.post(path, { type: "slack", address: "not an address" });
  expect([wrong.status, openIn(wrong.html)]).toEqual([400, "Choose who is notified"]);
  expect(wrong.html).toContain('role="alert"');
  expect(wrong.html).toContain('value="not an address"');
  expect(app.app.channels.list()).toEqual([]);

  const address = "https://hooks.slack.com/services/T0/B0/secret";
  const added = await visitor.submit(path, { type: "slack", address });
  expect(added.html).not.toContain("secret");
  expect([doneIn(added.html), openIn(added.html)]).toEqual([
    ["Protect a domain", "Choose who is notified"],
    "Send a test message",
  ]);
  const [channel] = app.app.channels.list();
  expect(channel).toMatchObject({ type: "slack", target: { url: address }, enabled: true });
  expect(app.app.notifications.subscriptions.list()).toMatchObject([
    { channel: { id: channel!.id }, events: ["threat.created"], filter: { minSeverity: "medium" } },
  ]);
});

test("a test message shows its result, and the step is done once one was delivered", async () => {
  app = openConsoleApp({ config: declared });
  const visitor = await app.signedIn();
  const receiver = startReceiver((_, count) => (count === 1 ? 503 : 200));
  try {
    const { endpoint } = app.app.webhooks.endpoints.add(
      { name: "soc", url: receiver.url, events: [] },
      { by },
    );
    const { id } = endpoint;
    const failed = await visitor.submit("/console/welcome/test", { recipient: id });
    expect(failed.text).toContain("Test failed");
    expect(doneIn(failed.html)).not.toContain("Send a test message");
    const delivered = await visitor.submit("/console/welcome/test", { recipient: id });
    expect(delivered.text).toContain("Test delivered: status 200");
    expect(doneIn(delivered.html)).toContain("Send a test message");
  } finally {
    await receiver.stop();
  }
});

test("the first scan shows its progress in the setup, and finishes it", async () => {
  app = openConsoleApp();
  const visitor = await app.signedIn();
  const path = "/console/welcome/scan";
  expect((await visitor.submit(path)).text).toContain("There is no protected domain; add one first.");
  const insert = (id: string, status: string) =>
    app.app.database.sqlite.run(
      `insert into scans (id, "trigger", protected_domains, status, started_at, planned, candidates)
       values (?, 'console', '["example-bank.com"]', ?, 0, 200, 50)`,
      [id, status],
    );
  app.app.domains.add({ domain: "example-bank.com" }, { by });
  insert("scn_01h455vb4pex5vsknk084sn02q", "running");
  const running = await visitor.get("/console/welcome?step=scan");
  expect(running.html).toContain('data-refresh="/console/scans/scn_01h455vb4pex5vsknk084sn02q/panel"');
  expect(running.text).toContain("50 of 200 look-alikes checked");
  expect(doneIn(running.html)).toEqual(["Protect a domain"]);
  app.app.database.sqlite.run("update scans set status = 'completed', completed_at = 1");
  expect(doneIn((await visitor.get("/console/welcome")).html)).toContain("Run the first scan");
});
