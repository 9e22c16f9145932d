import { describe, expect, test } from "bun:test";
import { defaultPublicUrl } from "../../../src/platform/config/config.ts";
import type { Config } from "../../../src/platform/config/load.ts";
import { errorLines, loaded } from "./helper.ts";

const everything = {
  minSeverity: "low",
  protectedDomains: [],
  types: [],
  sources: [],
  verifiedOnly: false,
};

/** The setting as written, and the value that the program reads. */
function table(cases: [file: string, part: (config: Config) => unknown, value: unknown][]): void {
  for (const [file, part, value] of cases) {
    test(`${file.replaceAll("\n", " ")} is read as ${JSON.stringify(value)}`, () =>
      expect(part(loaded(file))).toEqual(value));
  }
}

describe("server", () => {
  const address = ({ server }: Config) => [server.host, server.port, server.publicUrl];
  const url = ({ server }: Config) => [server.publicUrl, server.publicUrlIsDefault];
  table([
    ['[server]\nlisten = "0.0.0.0:0"', address, ["0.0.0.0", 0, "http://localhost:0"]],
    ['[server]\nlisten = "[::]:80"', address, ["::", 80, "http://localhost"]],
    ['[server]\nlisten = "[2001:DB8::1]:8080"', address, ["2001:db8::1", 8080, "http://[2001:db8::1]:8080"]],
    [
      '[server]\nlisten = "Phish.Internal:65535"',
      address,
      ["phish.internal", 65_535, "http://phish.internal:65535"],
    ],
    ['[server]\nlisten = "localhost:8080"', address, ["localhost", 8080, "http://localhost:8080"]],
    ['[server]\npublic_url = "https://Phish.example:443//"', url, ["https://phish.example", false]],
    [
      '[traps]\npublic_url = "https://Traps.example:443/pages//"',
      ({ traps }) => [traps.publicUrl],
      ["https://traps.example/pages"],
    ],
    ['[server]\npublic_url = "http://phish.example"', url, ["http://phish.example", false]],
    [
      '[server]\ntls_cert = "cert.pem"\ntls_key = "../key.pem"',
      ({ server }) => [server.tls, server.publicUrl],
      [{ certPath: "/etc/phishwatch/cert.pem", keyPath: "/etc/key.pem" }, "https://127.0.0.1:8080"],
    ],
    [
      '[server]\ntrusted_proxies = ["10.0.0.0/8", "192.0.2.1", "2001:DB8::/32", "::1"]',
      ({ server }) => server.trustedProxies,
      ["10.0.0.0/8", "192.0.2.1/32", "2001:db8::/32", "::1/128"],
    ],
  ]);

  test("the public URL omits only the scheme's default port", () => {
    expect(defaultPublicUrl({ host: "phish.example", port: 443 }, true)).toBe("https://phish.example");
    expect(defaultPublicUrl({ host: "phish.example", port: 443 }, false)).toBe("http://phish.example:443");
    expect(defaultPublicUrl({ host: "phish.example", port: 80 }, true)).toBe("https://phish.example:80");
  });
});

describe("paths, numbers and schedules", () => {
  table([
    ['[storage]\npath = ":memory:"', ({ storage }) => storage.path, ":memory:"],
    ['[storage]\npath = "/var/lib/phishwatch.db"', ({ storage }) => storage.path, "/var/lib/phishwatch.db"],
    ["storage.path = 'x.db'", ({ storage }) => storage.path, "/etc/phishwatch/x.db"],
    [
      "detection = { min_similarity = 1, reactivate = false }",
      ({ detection }) => detection,
      { minSimilarity: 1, reactivate: false },
    ],
    [
      "[api]\nmax_per_page = 1\nmax_batch_ids = 10_000",
      ({ api }) => api,
      { maxPerPage: 1, maxBatchIds: 10_000 },
    ],
    ['[scan]\nschedule = ""', ({ scan }) => scan.schedule, null],
    ['[scan]\nschedule = "@daily"', ({ scan }) => scan.schedule, "@daily"],
    ['[scan]\nschedule = "0 0 29 2 *"', ({ scan }) => scan.schedule, "0 0 29 2 *"],
    [
      '[screenshots]\nchromium_args = ["--no-sandbox"]',
      ({ screenshots }) => screenshots.chromiumArgs,
      ["--no-sandbox"],
    ],
    ['[scan]\nscreenshots = "off"', ({ scan }) => scan.screenshots, "off"],
    [
      '[scan]\nscreenshots = "/usr/bin/chromium"',
      ({ scan }) => scan.screenshots,
      { path: "/usr/bin/chromium" },
    ],
    [
      '[scan]\nresolvers = ["9.9.9.9", "127.0.0.1:5353", "2620:FE::FE", "[::1]:5353", "[::1]"]',
      ({ scan }) => scan.resolvers.map(({ address, port }) => `${address} ${port}`),
      ["9.9.9.9 53", "127.0.0.1 5353", "2620:fe::fe 53", "::1 5353", "::1 53"],
    ],
    [
      '[webhooks]\ntimeout = "500ms"\nretry_delays = []',
      ({ webhooks }) => [webhooks.timeoutMs, webhooks.retryDelaysMs],
      [500, []],
    ],
    ['[webhooks]\nca_file = "ca.pem"', ({ webhooks }) => webhooks.caFile, "/etc/phishwatch/ca.pem"],
    [
      '[retention]\nevents = "2h"\ndeliveries = "1m"\nresolved = "180d"',
      ({ retention }) => retention,
      {
        eventsMs: 7_200_000,
        deliveriesMs: 60_000,
        hitsMs: 7_776_000_000,
        inspectionsMs: 2_592_000_000,
        falsePositivesMs: null,
        resolvedMs: 15_552_000_000,
        screenshotsMs: null,
        auditMs: null,
      },
    ],
  ]);
});

describe("entries", () => {
  table([
    [
      '[[protected_domains]]\ndomain = "Bücher.Example."\nkeywords = ["Bücher", "e-BOOK"]\nallow = ["BÜCHER.example.net"]',
      ({ protectedDomains }) => protectedDomains,
      [
        {
          domain: "xn--bcher-kva.example",
          keywords: ["bücher", "e-book"],
          allow: ["xn--bcher-kva.example.net"],
        },
      ],
    ],
    [
      'protected_domains = [{ domain = "example.com" }, { domain = "github.io" }]',
      ({ protectedDomains }) => protectedDomains.map(({ domain }) => domain),
      ["example.com", "github.io"],
    ],
    [
      '[[feeds]]\nname = "nrd"\npath = "/srv/nrd"\nformat = "csv"\ncolumn = "domain name"',
      ({ feeds }) => feeds,
      [
        {
          name: "nrd",
          path: "/srv/nrd",
          url: null,
          type: "list",
          schedule: "0 */6 * * *",
          headers: {},
          query: null,
          username: null,
          password: null,
          zones: [],
          bytesMax: 2 ** 30,
          allowPrivateNetworks: false,
          format: "csv",
          column: "domain name",
          inspect: false,
        },
      ],
    ],
    [
      `[[api_keys]]\nname = "ci"\nkey = "${"!~".repeat(100)}"\nplan = "free"\nscopes = ["candidates:write"]\ndomains = ["Not-Yet-Added.example"]`,
      ({ apiKeys }) => apiKeys,
      [
        {
          name: "ci",
          key: "!~".repeat(100),
          plan: "free",
          scopes: ["candidates:write"],
          domains: ["not-yet-added.example"],
        },
      ],
    ],
    [
      '[webhooks]\nallow_http = true\n[[webhooks.endpoints]]\nname = "lab"\nurl = "http://127.0.0.1:9000"\nsecret = "opensesame-opensesame"',
      ({ webhooks }) => webhooks.endpoints,
      [
        {
          name: "lab",
          url: "http://127.0.0.1:9000/",
          secret: "opensesame-opensesame",
          events: [],
          filter: everything,
          headers: {},
          concurrency: null,
          ratePerSecond: null,
          caFile: null,
          clientCertFile: null,
          clientKeyFile: null,
        },
      ],
    ],
    [
      '[[webhooks.endpoints]]\nname = "soc"\nurl = "https://soc.example/"\nsecret = "opensesame-opensesame"\nheaders = ["X-Team: soc", "X-Empty:"]\nauthorization = "Bearer x"\nconcurrency = 2\nrate_per_second = 0.5\nca_file = "ca.pem"\nclient_cert = "c.pem"\nclient_key = "k.pem"',
      ({ webhooks: { endpoints } }) => {
        const { name: _name, url: _url, secret: _secret, events: _events, ...rest } = endpoints[0]!;
        return rest;
      },
      {
        filter: everything,
        headers: { "X-Team": "soc", "X-Empty": "", Authorization: "Bearer x" },
        concurrency: 2,
        ratePerSecond: 0.5,
        caFile: "/etc/phishwatch/ca.pem",
        clientCertFile: "/etc/phishwatch/c.pem",
        clientKeyFile: "/etc/phishwatch/k.pem",
      },
    ],
    ['[webhooks]\ndisable_after = ""', ({ webhooks }) => webhooks.disableAfterMs, null],
    [
      '[[webhooks.endpoints]]\nname = "soc"\nurl = "https://soc.example/?a=b"\nsecret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"',
      ({ webhooks }) => webhooks.endpoints[0]?.url,
      "https://soc.example/?a=b",
    ],
  ]);

  test("invalid headers and a certificate without a key are rejected without showing header values", () => {
    const endpoint =
      '[[webhooks.endpoints]]\nname = "soc"\nurl = "https://soc.example/"\nsecret = "opensesame-opensesame"';
    expect(
      errorLines(`${endpoint}\nheaders = ["Authorization Bearer hunter2"]\nclient_cert = "c.pem"`),
    ).toEqual([
      '5: webhooks.endpoints[0].headers[0]: found a string of 28 characters that is no header; expected "Name: value" in visible ASCII characters',
      "6: webhooks.endpoints[0].client_cert: found no client_key beside it; expected both or none",
    ]);
  });

  test("names that differ only in case are rejected within a kind of entry, and allowed across kinds", () => {
    const shared = `[[feeds]]\nname = "a"\npath = "x"\n[[api_keys]]\nname = "a"\nkey = "${"k".repeat(20)}"`;
    expect(errorLines(shared)).toEqual([]);
  });
});
