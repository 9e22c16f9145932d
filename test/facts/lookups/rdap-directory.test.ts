import { afterEach, describe, expect, test } from "bun:test";
import {
  embeddedRdapServices,
  parseBootstrap,
  rdapServices,
  createRdapDirectory,
} from "../../../src/facts/lookups/registration/rdap-services.ts";
import { embeddedWhoisServers, whoisQuery } from "../../../src/facts/lookups/registration/whois-servers.ts";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import { createHttpClient } from "../../../src/platform/network/http/http-client.ts";
import { type Receiver, type Reply, startReceiver } from "../../support/receiver.ts";

const receivers: Receiver[] = [];
afterEach(() => Promise.all(receivers.splice(0).map((receiver) => receiver.stop())));

const list = (count: number, url = "https://rdap.fresh.example/") => ({
  version: "1.0",
  publication: "2026-02-25T20:00:02Z",
  services: [[["com", ...Array.from({ length: count }, (_, index) => `tld${index}`)], [url]]],
});

function directory(respond: () => Reply, { timeoutMs = 20_000 } = {}) {
  const receiver = startReceiver(respond);
  receivers.push(receiver);
  let now = Date.parse("2026-03-01T00:00:00Z");
  const clock = { ...systemClock, now: () => now, monotonicMs: () => now };
  const client = createHttpClient({
    rules: { allowPrivateNetworks: true },
    resolveHost: async () => ["127.0.0.1"],
  });
  const made = createRdapDirectory({ client, clock, url: receiver.url, userAgent: "test", timeoutMs });
  const pass = (ms: number) => void (now += ms);
  return { serviceFor: made.serviceFor, received: receiver.received, pass };
}

const embedded = "https://rdap.verisign.com/com/v1/";
const dayMs = 86_400_000;

describe("RDAP directory", () => {
  test("services come from IANA's list, which is downloaded once a week", async () => {
    const { serviceFor, received, pass } = directory(() => Response.json(list(1_000)));
    expect(await Promise.all([serviceFor("a.com"), serviceFor("b.tld7")])).toEqual([
      "https://rdap.fresh.example/",
      "https://rdap.fresh.example/",
    ]);
    pass(6 * dayMs);
    await serviceFor("a.com");
    expect(received).toHaveLength(1);
    pass(dayMs);
    await serviceFor("a.com");
    expect(received).toHaveLength(2);
  });

  test.each([
    ["an error", () => 500],
    ["a page of a captive portal", () => new Response("<html>Sign in to the network</html>")],
    ["a list that is nearly empty", () => Response.json(list(3))],
    ["a list without end", () => new Response("[".repeat(2 << 20))],
    ["silence", () => new Promise<Response>(() => {})],
  ] as [string, () => Reply][])(
    "the embedded copy is used in case of %s, and the download is retried once a day",
    async (what, respond) => {
      const timeoutMs = what === "silence" ? 500 : 20_000;
      const { serviceFor, received, pass } = directory(respond, { timeoutMs });
      expect(await serviceFor("a.com")).toBe(embedded);
      expect(await serviceFor("b.com")).toBe(embedded);
      expect(received).toHaveLength(1);
      pass(dayMs);
      expect(await serviceFor("b.com")).toBe(embedded);
      expect(received).toHaveLength(2);
    },
  );

  test("the previous list is used while a later download fails", async () => {
    let fails = false;
    const { serviceFor, pass } = directory(() => (fails ? 503 : Response.json(list(1_000))));
    await serviceFor("a.com");
    fails = true;
    pass(8 * dayMs);
    expect(await serviceFor("a.com")).toBe("https://rdap.fresh.example/");
  });
});

test("the embedded tables contain the common suffixes, with valid URLs", () => {
  const services = embeddedRdapServices();
  for (const suffix of ["com", "net", "org", "uk", "fr", "br", "app", "xyz", "info"])
    expect(URL.canParse(services.serviceFor(`x.${suffix}`) ?? "")).toBe(true);
  expect(services.serviceFor("x.co.uk")).toBe(services.serviceFor("x.uk"));
  expect(services.serviceFor("x.invalid")).toBeUndefined();
  expect(services.serviceFor("com")).toBeUndefined();
  const serverFor = embeddedWhoisServers();
  expect(["x.de", "x.co.jp", "x.io", "x.com", "x.eu", "x.invalid"].map(serverFor)).toEqual([
    "whois.denic.de",
    "whois.jprs.jp",
    "whois.nic.io",
    "whois.verisign-grs.com",
    "whois.eu",
    undefined,
  ]);
});

test("servers with a query syntax of their own are queried in it", () => {
  expect(whoisQuery("whois.denic.de", "x.de")).toBe("-T dn,ace x.de\r\n");
  expect(whoisQuery("whois.jprs.jp", "x.jp")).toBe("x.jp/e\r\n");
  expect(whoisQuery("whois.nic.io", "x.io")).toBe("x.io\r\n");
});

test("invalid entries of IANA's list are skipped, HTTPS is preferred, and the longest suffix wins", () => {
  const parsed = parseBootstrap(
    JSON.stringify({
      publication: "soon",
      services: [
        null,
        [],
        [["a"]],
        [["b"], "x"],
        [
          ["c", 7, "d e", "C2"],
          ["http://c.example/rdap", "https://c.example/rdap"],
        ],
        [["f"], ["ftp://f.example/", 3]],
        [["g.c"], ["http://g.example/"]],
      ],
    }),
  );
  expect(parsed).toEqual({
    publication: undefined,
    services: [
      ["c", "https://c.example/rdap/"],
      ["c2", "https://c.example/rdap/"],
      ["g.c", "http://g.example/"],
    ],
  });
  const services = rdapServices((parsed as { services: [string, string][] }).services);
  expect([services.serviceFor("x.c"), services.serviceFor("y.g.c")]).toEqual([
    "https://c.example/rdap/",
    "http://g.example/",
  ]);
  for (const text of ["", "null", "[]", "{}", '{"services":4}', '{"services":[]}', "7"])
    expect(parseBootstrap(text)).toHaveProperty("error");
});
