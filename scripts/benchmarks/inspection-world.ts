/**
 * DNS and web servers on loopback for the benchmark of inspections: an original, and hosts whose second label says what
 * they are; those below `dead.test` do not exist. Prints the ports as JSON.
 */
import { startDnsServer } from "../../test/support/dns-server.ts";

const originalAddress = "127.0.0.1";
/** Hosts share addresses, as in real lists, but not all of them: the appliance opens few pages per address at a time. */
const addresses = Array.from({ length: 50 }, (_, index) => `127.0.1.${index + 1}`);
/** Nothing listens there. */
const closedAddress = "127.0.2.1";
const hostsMax = 10_000;
const liveKinds = ["copy", "news", "shop", "parked", "large", "slow"];

const at = (address: string) => ({ A: [address], NS: ["ns1.host.test"] });
const hosts = Array.from({ length: hostsMax }, (_, index) => {
  const entry = at(addresses[index % addresses.length]!);
  return liveKinds.map((kind) => [`host${index}.${kind}.test`, entry] as const);
});
const dns = await startDnsServer({
  "example-bank.com": at(originalAddress),
  "*.refused.test": at(closedAddress),
  ...Object.fromEntries(hosts.flat()),
});

const slowMs = 5_000;
const words =
  "account balance transfer card city market weather team season report price window garden music".split(" ");
const paragraph = (seed: number, length: number) =>
  `<p>${Array.from({ length }, (_, index) => words[(seed * 7 + index * (1 + (seed % 5))) % words.length]).join(" ")}.</p>`;
const article = (seed: number, count: number) =>
  Array.from(
    { length: count },
    (_, index) =>
      `<section class="s${index % 9}"><h2>Part ${index}</h2>${paragraph(seed + index, 60)}</section>`,
  ).join("");
const signIn = (action: string) => `<!doctype html><html lang="en"><head><title>Example Bank – Sign in</title>
  <meta property="og:site_name" content="Example Bank"><link rel="icon" href="/favicon.ico"></head><body class="eb-page">
  <header class="eb-header"><img class="eb-logo" src="/logo.png" alt="Example Bank"></header><main class="eb-main">
  <h1>Welcome to Example Bank</h1><p>Sign in to your Example Bank account to see your balance, pay bills and send money.</p>
  <form class="eb-form" action="${action}" method="post"><label>User name<input name="user"></label><label>Password
  <input type="password" name="password"></label><button>Sign in</button></form>${article(1, 20)}</main></body></html>`;
const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body>${body}</body></html>`;

async function pageOf(host: string): Promise<string | undefined> {
  const [label = "", kind = ""] = host.split(".");
  const seed = Number.parseInt(label.replace(/\D/g, ""), 10) || 1;
  if (host === "example-bank.com") return signIn("/login");
  switch (kind) {
    case "copy":
      return signIn("https://collector.example/post.php");
    case "news":
      return page(`News ${seed}`, `<h1>Example Bank raises its fees</h1>${article(seed, 60)}`);
    case "shop":
      return page(
        `Shop ${seed}`,
        `<h1>Shoes</h1><form action="/search"><input name="q"></form>${article(seed, 120)}`,
      );
    case "parked":
      return page(host, "<h1>This domain is for sale</h1>");
    case "large":
      return page(`Archive ${seed}`, article(seed, 1_800));
    case "slow":
      await Bun.sleep(slowMs);
      return page(`Slow ${seed}`, article(seed, 30));
    default:
      return undefined;
  }
}

const listen = (hostname: string, port: number) =>
  Bun.serve({ port, hostname, idleTimeout: 0, fetch: respond });
const web = listen(originalAddress, 0);
for (const address of addresses) listen(address, web.port!);

process.stdout.write(`${JSON.stringify({ dnsPort: dns.server.port, webPort: web.port })}\n`);

async function respond(request: Request): Promise<Response> {
  const host = (request.headers.get("host") ?? "").replace(/:.*/, "");
  const isFile = /\.(png|ico|json|svg)$/.test(new URL(request.url).pathname);
  const text = isFile ? undefined : await pageOf(host);
  return new Response(text ?? "", {
    status: text === undefined ? 404 : 200,
    headers: { "content-type": "text/html; charset=utf-8" },
  });
}
