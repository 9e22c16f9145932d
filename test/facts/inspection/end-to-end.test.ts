import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { openApp, type App } from "../../../src/app/app.ts";
import { loadConfig } from "../../../src/platform/config/load.ts";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import { createLog } from "../../../src/platform/lib/log.ts";
import { fillRandom, temporaryFolder } from "../../support/appliance.ts";
import { startDnsServer } from "../../support/dns-server.ts";
import { until } from "../../support/until.ts";

const signIn = (
  action: string,
) => `<!doctype html><html lang="en"><head><title>Example Bank – Sign in to online banking</title>
  <meta property="og:site_name" content="Example Bank"></head>
  <body class="eb-page"><header class="eb-header"><img class="eb-logo" src="/logo.png" alt="Example Bank"></header>
  <main class="eb-main"><h1>Welcome to Example Bank</h1><p>Sign in to your Example Bank account to see your balance, pay bills and
  send money. Example Bank will never ask for your PIN on the phone.</p>
  <form class="eb-form" action="${action}" method="post"><label>User name<input name="user"></label>
  <label>Password<input type="password" name="password"></label><button>Sign in to Example Bank</button></form>
  <p class="eb-note">Protect yourself from fraud. Check the address before you enter your password.</p></main></body></html>`;
const weather = `<!doctype html><html lang="en"><head><title>Weather for the weekend</title></head><body><h1>Weather</h1>
  <p>Sunshine in the south, showers in the north, and a light wind from the west on both days of the weekend.</p></body></html>`;

const pages: Record<string, string> = {
  "example-bank.com": signIn("/login"),
  "cheap-shoes.example": signIn("https://collector.example/post.php"),
  "weather.example": weather,
  "cheap-bags.example": signIn("https://collector.example/post.php"),
  "cheap-hats.example": signIn("https://collector.example/post.php"),
};

let app: App;
let requested: string[];
const closing: (() => unknown)[] = [];

async function open({ lookups }: { lookups: boolean }): Promise<void> {
  requested = [];
  const folder = temporaryFolder();
  const here = { A: ["127.0.0.1"], NS: ["ns1.host.test"] };
  const dns = await startDnsServer({
    "example-bank.com": here,
    "cheap-shoes.example": here,
    "cheap-bags.example": here,
    "cheap-hats.example": here,
    "travel.example": here,
    "weather.example": here,
  });
  const site = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const host = (request.headers.get("host") ?? "").replace(/:.*/, "");
      const { pathname, search } = new URL(request.url);
      requested.push(`${host}${pathname}${search}`);
      const to = new URL(request.url).searchParams.get("to");
      if (host === "travel.example" && to !== null) return Response.redirect(to, 302);
      const isPage = !/\.(png|ico|json|svg)$/.test(pathname);
      return new Response(isPage ? (pages[host] ?? "") : "", {
        status: isPage && host in pages ? 200 : 404,
        headers: { "content-type": "text/html; charset=utf-8" },
      });
    },
  });
  const loaded = loadConfig({
    path: join(folder.path, "phishwatch.toml"),
    text: `
      [server]
      listen = "127.0.0.1:0"
      [storage]
      path = "data/phishwatch.db"
      [lookups]
      enabled = ${lookups}
      [scan]
      schedule = ""
      registration_data = false
      resolvers = ["127.0.0.1:${dns.server.port}"]
      queries_per_second = 5000
      screenshots = "off"
      [[protected_domains]]
      domain = "example-bank.com"
      keywords = ["examplebank"]
      [[api_keys]]
      name = "mail-gateway"
      key = "${"k".repeat(40)}"
      scopes = ["candidates:write", "threats:read"]
      [[protected_domains]]
      domain = "example-shop.com"
      [[api_keys]]
      name = "shop"
      key = "${"s".repeat(40)}"
      scopes = ["candidates:write", "threats:read"]
      domains = ["example-shop.com"]`,
    env: {},
    readFile: () => "",
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  app = openApp({
    config: loaded.config,
    clock: systemClock,
    log: createLog({ level: "warn", format: "json", clock: systemClock, write: () => {} }),
    fillRandom,
    // Nothing listens on port 9, so HTTPS fails and HTTP is tried.
    reach: { rules: { allowPrivateNetworks: true }, ports: { http: site.port!, https: 9 } },
  });
  closing.push(
    folder.dispose,
    () => dns.stop(),
    () => site.stop(true),
    async () => {
      await app.stop();
      app.close();
    },
  );
  await app.start();
}
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function submit(
  body: object,
  key = "k".repeat(40),
): Promise<{ data: unknown[]; meta: Record<string, unknown> }> {
  const response = await app.server.handle(
    new Request("http://localhost/v1/candidates", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  );
  expect(response.status).toBe(200);
  return (await response.json()) as Awaited<ReturnType<typeof submit>>;
}

const email = `From: "Example Bank" <support@mailer.example>
To: ada@victim.example
Subject: Your account is locked
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: quoted-printable

<p>Dear customer, <a href=3D"http://cheap-shoes.example/account/login?id=3D7">unlock your
account</a> or read the <a href=3D"http://weather.example/">weather</a>.</p>
`.replaceAll("\n", "\r\n");

test("a submitted email leads to a threat with evidence, found by the page and not by the name", async () => {
  await open({ lookups: true });
  // The original is captured before anything is compared.
  await app.inspection.originals.run();
  const { data, meta } = await submit({ domains: [email], inspect: true });
  expect(data).toEqual([]);
  expect(meta).toMatchObject({ received: 1, inspections: { queued: 2, known: 0, refused: 0 } });
  await until(() => {
    const { totals } = app.inspection.inspections.status();
    return totals.imitation + totals.harmless + totals.failed === 2;
  }, "both links are inspected");
  const [threat, ...others] = app.threats.list({}, { page: 1, perPage: 9 }).threats;
  expect(others).toEqual([]);
  expect(threat).toMatchObject({
    domain: "cheap-shoes.example",
    protectedDomain: "example-bank.com",
    type: "cloned_site",
    source: "submission",
    severity: "high",
  });
  expect(app.threats.origins(threat!.id).urls).toMatchObject([
    { url: "http://cheap-shoes.example/account/login?id=7" },
  ]);
  expect(requested).toContain("cheap-shoes.example/account/login?id=7");
  const [inspection] = app.inspection.inspections.of("cheap-shoes.example");
  expect(inspection).toMatchObject({ state: "done", imitates: true, threatId: threat!.id });
  expect(inspection!.verdicts[0]!.original).toContain("example-bank.com");
  // The facts have the result, without another visit.
  const facts = () => app.enrichment.factsOf(threat!.id)?.facts;
  await until(() => app.enrichment.isSettled(threat!.id) && facts()?.page !== undefined, "facts are saved");
  expect(facts()).toMatchObject({
    existence: { exists: "yes" },
    page: { asksForPassword: true, imitation: { imitates: true, protectedDomain: "example-bank.com" } },
  });
  // Within the hour, nothing is inspected again.
  const visits = requested.length;
  const again = await submit({ domains: ["http://cheap-shoes.example/account/login?id=7"], inspect: true });
  expect(again.meta).toMatchObject({ inspections: { queued: 0, known: 1, refused: 0 } });
  expect(requested).toHaveLength(visits);
  await limitsKeys();
  await blamesWhoShowsThePage();
});

/** A service that redirects to any address is no threat; the host to which it leads is one, with the way to it as a fact. */
async function blamesWhoShowsThePage(): Promise<void> {
  const kit = "http://cheap-hats.example/login";
  const way = `http://travel.example/out?to=${encodeURIComponent(kit)}`;
  await submit({ domains: [way], inspect: true });
  const seen = () => app.inspection.inspections.of("travel.example")[0];
  await until(() => seen()?.state === "done", "the way is inspected");
  const { threats } = app.threats.list({}, { page: 1, perPage: 9 });
  expect(threats.map(({ domain }) => domain)).not.toContain("travel.example");
  const { id } = threats.find(({ domain }) => domain === "cheap-hats.example")!;
  expect(seen()).toMatchObject({ address: way, imitates: true, threatId: id, page: { redirects: [kit] } });
  expect(app.threats.origins(id).urls).toMatchObject([{ url: kit }]);
  const facts = () => app.enrichment.factsOf(id)?.facts;
  // A check of the threat may have visited the page itself before.
  const isHandedOver = () => app.enrichment.isSettled(id) && facts()?.page?.firstUrl === way;
  await until(isHandedOver, "the facts of the inspection are saved");
  expect(facts()).toMatchObject({
    existence: { exists: "yes" },
    page: { firstUrl: way, finalUrl: kit, redirects: [kit], imitation: { imitates: true } },
  });
}

/** A key that is limited to some protected domains causes no threats of others, and learns nothing of them. */
async function limitsKeys(): Promise<void> {
  const bound = "s".repeat(40);
  const ended = () => {
    const { failed, harmless, imitation, skipped } = app.inspection.inspections.status().totals;
    return failed + harmless + imitation + skipped;
  };
  const before = ended();
  const kit = "http://cheap-bags.example/login";
  const foreign = "https://login.example-bank.com/x";
  const item = `From: a@b.example\nSubject: x\n\n${foreign}\n`;
  const { data, meta } = await submit(
    { domains: [kit, "www.example-bank.com", "example-shop.com", item], inspect: true },
    bound,
  );
  expect(data).toEqual([]);
  expect(meta).toMatchObject({
    interpreted: [{ index: 0 }, { index: 3, domain: "b.example" }, { index: 3, url: foreign }],
    inspections: {
      queued: 3,
      known: 0,
      refused: 1,
      errors: [
        { address: "example-shop.com", reason: "is your own or an allowed name, which is never fetched" },
      ],
    },
  });
  await until(() => ended() === before + 3, "everything is inspected or skipped");
  expect(requested.filter((url) => /(www|login)\.example-bank/.test(url))).toEqual([]);
  expect(app.threats.list({}, { page: 1, perPage: 9 }).total).toBe(1);
  const seen = () => app.inspection.inspections.of("cheap-bags.example")[0]!;
  expect(seen()).toMatchObject({ imitates: true, protectedDomain: "example-bank.com", threatId: null });
  expect(seen().reason).toStartWith("no threat is recorded");
  // As for every other name, within the hour.
  const repeated = await submit({ domains: [kit, foreign, "www.example-bank.com"], inspect: true }, bound);
  expect(repeated.meta).toMatchObject({ inspections: { queued: 0, known: 3, refused: 0 } });
  // A key that is not limited has the threat recorded, and every address is accounted for.
  const all = await submit({ domains: [kit, foreign, item], inspect: true });
  expect(all.meta).toMatchObject({ inspections: { queued: 0, known: 1, refused: 1 } });
  expect(seen()).toMatchObject({ reason: null, threatId: expect.stringMatching(/^thr_/) });
  expect(app.threats.get(seen().threatId!)).toMatchObject({
    type: "cloned_site",
    domain: "cheap-bags.example",
  });
}

test("nothing is fetched while lookups are disabled, and the response says so", async () => {
  await open({ lookups: false });
  const { meta } = await submit({ domains: ["https://weather.example/"], inspect: true });
  expect(meta).toMatchObject({
    inspections: {
      queued: 0,
      refused: 1,
      errors: [
        {
          address: "https://weather.example/",
          reason: "is not inspected: pages are not fetched because lookups.enabled is false",
        },
      ],
    },
  });
  expect(requested).toEqual([]);
});
