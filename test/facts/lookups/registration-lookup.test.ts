import { afterEach, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { rdapServices } from "../../../src/facts/lookups/registration/rdap-services.ts";
import { createRegistrationLookup } from "../../../src/facts/lookups/registration/registration-lookup.ts";
import type { RegistrationResult } from "../../../src/facts/lookups/registration/registration-values.ts";
import { type Clock, systemClock } from "../../../src/platform/lib/clock.ts";
import { startRawServer } from "../../support/raw-server.ts";
import { startReceiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";
import { startWhoisServer } from "../../support/whois-server.ts";
import { full, notFound, thin } from "./rdap-texts.ts";
import * as texts from "./whois-texts.ts";

const open: { stop(): void }[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.stop();
});

function opened<T extends { stop(): void }>(server: T): T {
  open.push(server);
  return server;
}

/** Resolves every name to loopback, except for those that must be rejected. */
const resolveHost = async (host: string) => {
  if (host.startsWith("metadata.")) return ["169.254.169.254"];
  if (host.startsWith("nowhere.")) throw Object.assign(new Error("no such host"), { code: "ENOTFOUND" });
  return ["127.0.0.1"];
};

function lookup({
  rdapUrl,
  whoisPort,
  ianaPort,
  clock = systemClock,
  timeoutMs = 20_000,
  allowPrivateNetworks = true,
}: {
  rdapUrl?: string;
  whoisPort?: number;
  ianaPort?: number;
  clock?: Clock;
  timeoutMs?: number;
  allowPrivateNetworks?: boolean;
}) {
  const made = createRegistrationLookup({
    clock,
    rules: { allowPrivateNetworks },
    resolveHost,
    userAgent: "phishwatch/test",
    rdapServices: rdapServices(rdapUrl === undefined ? [] : [["com", rdapUrl]]),
    whoisServerFor: () => (whoisPort === undefined ? undefined : `whois.registry.example:${whoisPort}`),
    ianaServer: `whois.iana.example:${ianaPort ?? 1}`,
    timeoutMs,
    intervalMs: 0,
  });
  open.push({ stop: () => made.close() });
  return made;
}

const rdapJson = (body: unknown, init: ResponseInit = {}) =>
  new Response(JSON.stringify(body), { headers: { "content-type": "application/rdap+json" }, ...init });
const base = (port: number) => `http://rdap.registry.example:${port}/com/v1/`;
const domain = "example-banc.com";

describe("RDAP", () => {
  test("RDAP is queried for the registrable domain, and the registrar's service completes the record, once each", async () => {
    const registrar = opened(startReceiver(() => rdapJson(full())));
    const registry = opened(
      startReceiver(() =>
        rdapJson(thin(`http://rdap.registrar.example:${registrar.port}/domain/EXAMPLE-BANC.COM`)),
      ),
    );
    const { lookUpRegistration } = lookup({ rdapUrl: base(registry.port) });
    const result = await lookUpRegistration("Login.Example-Banc.com");
    expect(result).toMatchObject({
      ok: true,
      registration: {
        source: "rdap",
        registrar: "Cheap Names, Inc.",
        registrant_organization: "Harbour Holdings Ltd",
        registrant_country: "IS",
        abuse_email: "abuse@cheap-names.example",
        expires_at: "2027-02-10T09:30:00.000Z",
        fetched_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    });
    expect((result as { raw: string }).raw).toContain('"handle":"1234567890_DOMAIN_COM-VRSN"');
    expect(
      registry.received.map(({ path, headers }) => [path, headers["accept"], headers["user-agent"]]),
    ).toEqual([["/com/v1/domain/example-banc.com", "application/rdap+json", "phishwatch/test"]]);
    expect(registrar.received).toHaveLength(1);

    // Names under the same domain share the cached response, and so do concurrent lookups.
    await Promise.all([lookUpRegistration(domain), lookUpRegistration(`www.${domain}`)]);
    expect(registry.received).toHaveLength(1);
  });

  test("the registry's record is kept if the registrar fails, redirects or is in a private network", async () => {
    for (const related of [
      "http://nowhere.example/",
      "http://127.0.0.1:1/",
      "http://metadata.example/domain/x",
    ]) {
      const registry = opened(startReceiver(() => rdapJson(thin(related))));
      const result = await lookup({ rdapUrl: base(registry.port) }).lookUpRegistration(domain);
      expect(result).toMatchObject({ ok: true, registration: { registrar: "Cheap Names, Inc." } });
      expect((result as { registration: object }).registration).not.toHaveProperty("registrant_organization");
    }
  });

  test("a redirect to the port of another service is not followed", async () => {
    const registry = opened(
      startReceiver(() => new Response(null, { status: 302, headers: { location: "http://127.0.0.1:25/" } })),
    );
    const { lookUpRegistration } = lookup({ rdapUrl: base(registry.port) });
    const result = await lookUpRegistration(domain);
    expect(result).toMatchObject({ ok: false, reason: expect.stringContaining("not a web port") });
  });

  test("a limited number of the registry's redirects is followed", async () => {
    const registry = opened(
      startReceiver(({ path }) =>
        path.startsWith("/com")
          ? new Response(null, { status: 302, headers: { location: `/moved${path}` } })
          : rdapJson(full()),
      ),
    );
    expect(await lookup({ rdapUrl: base(registry.port) }).lookUpRegistration(domain)).toMatchObject({
      ok: true,
    });
    const circle = opened(
      startReceiver(({ path }) => new Response(null, { status: 301, headers: { location: path } })),
    );
    const result = await lookup({ rdapUrl: base(circle.port) }).lookUpRegistration(domain);
    expect(result).toMatchObject({ ok: false, reason: expect.stringContaining("more than 3 redirects") });
    expect(circle.received).toHaveLength(4);
  });

  test.each([
    ["an error object", () => rdapJson(notFound, { status: 404 })],
    ["an empty body", () => new Response(null, { status: 404 })],
  ])("status 404 with %s means unregistered", async (_what, respond) => {
    const registry = opened(startReceiver(respond));
    const whois = opened(await startWhoisServer(() => texts.com));
    const result = await lookup({ rdapUrl: base(registry.port), whoisPort: whois.port }).lookUpRegistration(
      domain,
    );
    expect(result).toEqual({ ok: false, reason: "not registered", unregistered: true });
    expect(whois.queries).toEqual([]);
  });

  test.each([
    [
      "an HTML page",
      () => new Response("<html>Welcome</html>", { headers: { "content-type": "text/html" } }),
    ],
    [
      "a gateway's 404 page",
      () =>
        new Response("<html>No such site</html>", { status: 404, headers: { "content-type": "text/html" } }),
    ],
    [
      "a gateway's JSON",
      () =>
        new Response('{"message":"no Route matched"}', {
          status: 404,
          headers: { "content-type": "application/json" },
        }),
    ],
    ["an internal error", () => rdapJson({ errorCode: 500, title: "Oops" }, { status: 500 })],
    ["a forbidden", () => new Response("no", { status: 403 })],
    ["another name", () => rdapJson({ ...full(), ldhName: "example-bank.com" })],
    [
      "a million entities",
      () => new Response(`{"ldhName":"${domain}","entities":[${"{},".repeat(1_000_000)}{}]}`),
    ],
    ["bad gzip", () => new Response("not gzip", { headers: { "content-encoding": "gzip" } })],
    [
      "a gzip bomb",
      () => new Response(gzipSync(Buffer.alloc(64 << 20, 32)), { headers: { "content-encoding": "gzip" } }),
    ],
  ])("WHOIS is queried if RDAP returns %s", async (_what, respond) => {
    const registry = opened(startReceiver(respond));
    const whois = opened(await startWhoisServer(() => texts.registrar));
    const result = await lookup({ rdapUrl: base(registry.port), whoisPort: whois.port }).lookUpRegistration(
      domain,
    );
    expect(result).toMatchObject({ ok: true, registration: { source: "whois", registrant_country: "IS" } });
  });

  test("a compressed response is read", async () => {
    const body = gzipSync(JSON.stringify(full()));
    const registry = opened(
      startReceiver(() => new Response(body, { headers: { "content-encoding": "gzip" } })),
    );
    expect(await lookup({ rdapUrl: base(registry.port) }).lookUpRegistration(domain)).toMatchObject({
      ok: true,
    });
  });

  test("a server that demands a pause is not queried during it, and the name stays unknown", async () => {
    const registry = opened(
      startReceiver(() => new Response("slow down", { status: 429, headers: { "retry-after": "600" } })),
    );
    const whois = opened(await startWhoisServer(() => texts.com));
    const { lookUpRegistration } = lookup({ rdapUrl: base(registry.port), whoisPort: whois.port });
    const first = await lookUpRegistration(domain);
    expect(first).toMatchObject({ ok: false, retryAfterMs: 600_000 });
    expect(first).not.toHaveProperty("unregistered");
    const second = (await lookUpRegistration("other-banc.com")) as Extract<RegistrationResult, { ok: false }>;
    expect(second.retryAfterMs).toBeGreaterThan(590_000);
    expect(registry.received).toHaveLength(1);
    expect(whois.queries).toEqual([]);
  });

  test("an RDAP service in a private network is not contacted", async () => {
    const registry = opened(startReceiver(() => rdapJson(full())));
    const result = await lookup({
      rdapUrl: base(registry.port),
      allowPrivateNetworks: false,
    }).lookUpRegistration(domain);
    const { ok, reason } = result as Extract<RegistrationResult, { ok: false }>;
    expect([ok, reason.includes("loopback address"), reason.includes("webhooks")]).toEqual([
      false,
      true,
      false,
    ]);
    expect(registry.received).toEqual([]);
  });

  test("a silent or trickling RDAP service times out", async () => {
    const silent = opened(await startRawServer(() => {}));
    const trickling = opened(
      await startRawServer((socket) => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
        const timer = setInterval(() => socket.write("x"), 20);
        socket.on("close", () => clearInterval(timer));
      }),
    );
    for (const server of [silent, trickling]) {
      const result = await lookup({ rdapUrl: base(server.port), timeoutMs: 150 }).lookUpRegistration(domain);
      expect(result).toMatchObject({ ok: false, reason: expect.stringContaining("within 0.15 s") });
      await until(() => server.connections() === 0, "the connection is closed");
    }
  });
});

describe("WHOIS", () => {
  test("WHOIS is queried if there is no RDAP service, and the registrar's server completes the record", async () => {
    const registrar = opened(await startWhoisServer(() => texts.registrar));
    const registry = opened(
      await startWhoisServer(() =>
        texts.com.replace("whois.cheap-names.example", `whois.cheap-names.example:${registrar.port}`),
      ),
    );
    const result = await lookup({ whoisPort: registry.port }).lookUpRegistration(domain);
    expect(result).toMatchObject({
      ok: true,
      registration: {
        source: "whois",
        registrar_iana_id: "4711",
        registrant_country: "IS",
        status: ["clientDeleteProhibited", "clientTransferProhibited"],
      },
    });
    expect([registry.queries, registrar.queries]).toEqual([[domain], [domain]]);
  });

  test("IANA is queried once for the server of an unknown suffix", async () => {
    const registry = opened(await startWhoisServer((query) => texts.com.replace("EXAMPLE-BANC.COM", query)));
    const iana = opened(
      await startWhoisServer(() => `domain: COM\n\nwhois:        whois.registry.example:${registry.port}\n`),
    );
    const { lookUpRegistration } = lookup({ ianaPort: iana.port });
    expect(await lookUpRegistration(domain)).toMatchObject({ ok: true });
    expect(await lookUpRegistration("second.com")).toMatchObject({ ok: true });
    expect([iana.queries, registry.queries]).toEqual([["com"], [domain, "second.com"]]);
  });

  test("a name is unregistered only if the registry says so", async () => {
    const registry = opened(await startWhoisServer(() => texts.unregistered["com"]![1]));
    expect(await lookup({ whoisPort: registry.port }).lookUpRegistration(domain)).toEqual({
      ok: false,
      reason: "not registered",
      unregistered: true,
    });
  });

  test("a server that reports a rate limit is paused longer each time, and the name stays unknown", async () => {
    let now = Date.parse("2026-03-01T00:00:00Z");
    const clock: Clock = { ...systemClock, now: () => now, monotonicMs: () => now };
    let text = texts.limited["afnic"]![0];
    const registry = opened(await startWhoisServer(() => text));
    const { lookUpRegistration } = lookup({ whoisPort: registry.port, clock });
    const waits: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const result = (await lookUpRegistration(domain)) as Extract<RegistrationResult, { ok: false }>;
      expect(result).not.toHaveProperty("unregistered");
      waits.push(result.retryAfterMs!);
      expect((await lookUpRegistration("other.com")) as object).toMatchObject({
        ok: false,
        retryAfterMs: result.retryAfterMs,
      });
      now += result.retryAfterMs!;
    }
    expect(waits).toEqual([60_000, 120_000, 240_000]);
    expect(registry.queries).toHaveLength(3);
    text = texts.com;
    expect(await lookUpRegistration(domain)).toMatchObject({ ok: true });
  });

  test("responses in Latin-1 and in UTF-8 are decoded correctly", async () => {
    for (const encoding of ["latin1", "utf8"] as const) {
      const registry = opened(await startWhoisServer(() => Buffer.from(texts.br, encoding)));
      const result = await lookup({ whoisPort: registry.port }).lookUpRegistration("example-banc.com.br");
      expect(result).toMatchObject({
        registration: { registrant_organization: "Exemplo Com\u00e9rcio Ltda" },
      });
    }
  });

  test("an endless response is cut off, and its start is read", async () => {
    let sent = 0;
    const registry = opened(
      await startWhoisServer(() => (socket) => {
        socket.write(texts.registrar);
        const more = () => {
          while (!socket.destroyed && sent < 1 << 30) {
            sent += 65_536;
            if (!socket.write("x".repeat(65_535) + "\n")) return void socket.once("drain", more);
          }
        };
        more();
      }),
    );
    const result = await lookup({ whoisPort: registry.port }).lookUpRegistration(domain);
    expect(result).toMatchObject({ ok: true, registration: { registrant_country: "IS" } });
    expect((result as { raw: string }).raw.length).toBeLessThanOrEqual(32_768);
    await until(() => registry.connections() === 0, "the connection is closed");
    expect(sent).toBeLessThan(64 << 20);
  });

  test("a trickling, silent or closing server leaves the name unknown", async () => {
    const trickle = opened(
      await startWhoisServer(() => (socket) => {
        const timer = setInterval(() => socket.write("Domain Name: EXAMPLE-BANC.COM\n"), 20);
        socket.on("close", () => clearInterval(timer));
      }),
    );
    const silent = opened(await startWhoisServer(() => () => {}));
    const closing = opened(await startWhoisServer(() => ""));
    for (const [server, reason] of [
      [trickle, "0.15 s"],
      [silent, "0.15 s"],
      [closing, "connection closed without a response"],
    ] as const) {
      const result = await lookup({ whoisPort: server.port, timeoutMs: 150 }).lookUpRegistration(domain);
      expect(result).toEqual({ ok: false, reason: expect.stringContaining(reason) });
      await until(() => server.connections() === 0, "the connection is closed");
    }
  });

  test("a WHOIS server in a private network is not contacted, even if a registry refers to it", async () => {
    const registry = opened(
      await startWhoisServer(() => texts.com.replace("whois.cheap-names.example", "metadata.example")),
    );
    expect(await lookup({ whoisPort: registry.port }).lookUpRegistration(domain)).toMatchObject({
      ok: true,
      registration: { source: "whois" },
    });
    const rejected = await lookup({
      whoisPort: registry.port,
      allowPrivateNetworks: false,
    }).lookUpRegistration(domain);
    expect(rejected).toMatchObject({ ok: false, reason: expect.stringContaining("loopback address") });
    expect(registry.queries).toHaveLength(1);
  });
});

test("a name that cannot be registered is not queried", async () => {
  const { lookUpRegistration } = lookup({});
  for (const name of ["com", "co.uk", "127.0.0.1", "", "exa mple.com", "a\r\nb.com", "_dmarc.x"])
    expect([name, await lookUpRegistration(name)]).toEqual([
      name,
      { ok: false, reason: "the name cannot be registered" },
    ]);
});
