import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { signingSecrets } from "../../../src/messaging/channels/webhook/endpoint.ts";
import { noFilter } from "../../../src/threats/events/event-filter.ts";
import { manualClock } from "../../support/appliance.ts";
import { openWebhooks, type OpenWebhooks } from "../../support/webhooks.ts";

const clock = manualClock();
const dayMs = 86_400_000;
let webhooks: OpenWebhooks;
beforeEach(() => void (webhooks = openWebhooks({ clock })));
afterEach(() => webhooks.dispose());

const url = "https://soc.example/hooks";
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

describe("add", () => {
  test("adding an endpoint makes a name from the host and generates a secret; the list is sorted by name", () => {
    const first = webhooks.endpoints.add({ url });
    const second = webhooks.endpoints.add({ url: `${url}#fragment` });
    expect(first.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(
      webhooks.endpoints.list().map(({ name, url: at, origin, enabled }) => [name, at, origin, enabled]),
    ).toEqual([
      ["soc.example", url, "runtime", true],
      ["soc.example-2", url, "runtime", true],
    ]);
    expect(webhooks.endpoints.get(first.endpoint.id)).toEqual(webhooks.endpoints.get("soc.example"));
    expect(second.endpoint.id).toStartWith("whk_");
  });

  test.each<[string, Parameters<OpenWebhooks["endpoints"]["add"]>[0], RegExp]>([
    ["no URL", { url: "soc.example" }, /such as https:/],
    ["another scheme", { url: "ftp://soc.example/" }, /https:/],
    ["a file", { url: "file:///etc/passwd" }, /https:/],
    ["a password", { url: "https://a:b@soc.example/" }, /password/],
    ["a metadata address", { url: "https://169.254.169.254/latest" }, /metadata address, which is never/],
    ["its decimal form", { url: "https://2852039166/" }, /metadata address/],
    ["its mapped form", { url: "https://[::ffff:169.254.169.254]/" }, /metadata address/],
    ["a link-local address", { url: "https://[fe80::1]/" }, /link-local/],
    ["an unspecified address", { url: "https://0/" }, /unspecified/],
    ["a URL too long", { url: `https://soc.example/${"x".repeat(3_000)}` }, /2000/],
    ["a URL with port 0", { url: "https://1.1.1.1:0/" }, /port from 1 to 65535/],
    [
      "an unknown event",
      { url, events: ["threat.create"] },
      /threat\.create is not an event type; use threat\.created/,
    ],
    ["a short secret", { url, secret: "short" }, /16 to 200/],
    ["an empty name", { url, name: "" }, /name/],
    ["a name that reorders text", { url, name: "a\u202eb" }, /name/],
    ["a name like an identifier", { url, name: "whk_1" }, /whk_/],
    ["a reserved header", { url, headers: { "Webhook-Id": "x" } }, /Webhook-Id is set by phishwatch/],
    ["a header with a line break", { url, headers: { "X-A": "b\r\nX-C: d" } }, /visible ASCII/],
    ["an invalid header name", { url, headers: { "X A": "b" } }, /not a header name/],
    ["a concurrency of 0", { url, concurrency: 0 }, /concurrency/],
    ["a fractional concurrency", { url, concurrency: 1.5 }, /whole number/],
    ["a negative rate", { url, ratePerSecond: -1 }, /rate limit/],
  ])("adding an endpoint with %s fails with the reason and stores nothing", (_what, endpoint, message) => {
    expect(() => webhooks.endpoints.add(endpoint)).toThrow(message);
    expect(webhooks.endpoints.list()).toEqual([]);
  });
});

test("the error for a URL that is not allowed names the setting that would allow it", async () => {
  const strict = openWebhooks({ allowHttp: false, allowPrivateNetworks: false });
  expect(() => strict.endpoints.add({ url: "http://soc.example/" })).toThrow(/webhooks\.allow_http = true/);
  expect(() => strict.endpoints.add({ url: "https://10.0.0.1/" })).toThrow(
    /webhooks\.allow_private_networks = true/,
  );
  await strict.dispose();
});

test("a host is resolved before its endpoint is added: the error names the setting that would allow it, and a host without an address is a warning", async () => {
  const addresses: Record<string, string[]> = {
    "metadata.test": ["169.254.169.254"],
    "intranet.test": ["10.0.0.7"],
    "public.test": ["1.1.1.1"],
  };
  const strict = openWebhooks({
    allowHttp: false,
    allowPrivateNetworks: false,
    resolveHost: async (name) => addresses[name] ?? [],
  });
  const { checkDestination: check } = strict;
  expect(await check("https://public.test/")).toBeUndefined();
  expect(await check("https://nowhere.test/")).toBe("nowhere.test has no address");
  await expect(check("https://metadata.test/")).rejects.toThrow(
    /metadata address, which is never connected to/,
  );
  await expect(check("https://intranet.test/")).rejects.toThrow(
    /webhooks\.allow_private_networks = true would allow it/,
  );
  await expect(check("http://public.test/")).rejects.toThrow(/webhooks\.allow_http = true/);
  await strict.dispose();
});

describe("change, enable and disable", () => {
  test("a change affects only the given settings", () => {
    const { endpoint } = webhooks.endpoints.add({ url, name: "soc", headers: { Authorization: "Bearer x" } });
    const changed = webhooks.endpoints.change("soc", {
      events: ["threat.resolved", "threat.created"],
      concurrency: 2,
    });
    expect(changed).toEqual({ ...endpoint, events: ["threat.created", "threat.resolved"], concurrency: 2 });
    expect(webhooks.endpoints.change("soc", { events: [] }).events).toEqual([]);
  });

  test("disabling stores the time, and enabling resets the failure count", () => {
    webhooks.endpoints.add({ url, name: "soc" });
    expect(webhooks.endpoints.disable("soc")).toMatchObject({
      enabled: false,
      disabledReason: "operator",
      disabledAt: clock.now(),
    });
    expect(webhooks.endpoints.enable("soc")).toMatchObject({
      enabled: true,
      disabledReason: null,
      consecutiveFailures: 0,
      failingSince: null,
    });
  });
});

describe("rotation", () => {
  test("after a rotation the previous secret also signs for exactly 24 hours", () => {
    const { secret: old } = webhooks.endpoints.add({ url, name: "soc" });
    const { endpoint, secret: fresh } = webhooks.endpoints.rotate("soc");
    expect(fresh).not.toBe(old);
    expect(signingSecrets(endpoint, clock.now())).toEqual([fresh, old]);
    expect(signingSecrets(endpoint, clock.now() + dayMs - 1)).toEqual([fresh, old]);
    expect(signingSecrets(endpoint, clock.now() + dayMs)).toEqual([fresh]);
  });

  test("a rotation can be ended early or have no overlap", () => {
    webhooks.endpoints.add({ url, name: "soc" });
    const { secret: fresh } = webhooks.endpoints.rotate("soc");
    expect(signingSecrets(webhooks.endpoints.endRotation("soc"), clock.now())).toEqual([fresh]);
    const { endpoint } = webhooks.endpoints.rotate("soc", { secret, overlapMs: 0 });
    expect(signingSecrets(endpoint, clock.now())).toEqual([secret]);
  });
});

describe("declared endpoints", () => {
  const soc = { name: "soc", url, secret, events: ["threat.created"] };

  test("a filter follows the file, and each change of it is in the audit log", () => {
    const filter = { ...noFilter, minSeverity: "high" as const, protectedDomains: ["example-bank.com"] };
    webhooks.endpoints.reconcile([{ ...soc, filter }]);
    clock.advance(60_000);
    const [first] = webhooks.endpoints.list();
    webhooks.endpoints.reconcile([{ ...soc, filter }]);
    expect(webhooks.endpoints.list()).toEqual([first!]);
    expect(first).toMatchObject({ filter });
    webhooks.endpoints.reconcile([{ ...soc, filter: noFilter }]);
    expect(webhooks.endpoints.get("soc").filter).toBeNull();
    const [entry] = webhooks.auditLog.list({}, { limit: 1, offset: 0 });
    expect(entry).toMatchObject({ action: "webhook.change", detail: { changed: ["filter"] } });
  });

  test("a secret that changes in the file is rotated", () => {
    webhooks.endpoints.reconcile([soc]);
    webhooks.endpoints.reconcile([{ ...soc, secret: "another secret!!".replaceAll(" ", "-") }]);
    expect(signingSecrets(webhooks.endpoints.get("soc"), clock.now())).toEqual(["another-secret!!", secret]);
  });
});
