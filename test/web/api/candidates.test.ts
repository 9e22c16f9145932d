import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { openApi, type Api, type Call } from "../../support/api.ts";

let api: Api;
let key: string;
beforeEach(() => {
  api = openApi();
  key = api.key();
});
afterEach(() => api.dispose());

const submit = (body: unknown, call: Call = {}) => api.call("POST", "/v1/candidates", { key, body, ...call });
const asText = { headers: { "content-type": "text/plain; charset=utf-8" } };

test("look-alikes become threats; the response contains only these, and `matched` is their number", async () => {
  const domains = [
    "examp1e-bank.com",
    "weather.example",
    "not a name",
    "EXAMP1E-bank.com.",
    "exarnple-shop.com",
  ];
  const response = await submit({ domains });
  expect(response.status).toBe(200);
  const errors = [{ index: 2, reason: "contains a space; enter one name per line" }];
  expect(response.json.meta).toEqual({ received: 5, invalid: 1, matched: 2, created: 2, errors });
  expect(response.json.data.map(({ domain }: { domain: string }) => domain)).toEqual([
    "examp1e-bank.com",
    "exarnple-shop.com",
  ]);
  const [match] = response.json.data[0].matches;
  expect(match).toMatchObject({ protected_domain: "example-bank.com", outcome: "created" });
  const threat = (await api.call("GET", `/v1/threats/${match.threat_id}`, { key })).json.data;
  expect(threat).toMatchObject({ domain: "examp1e-bank.com", source: "submission", type: match.type });
  expect(threat.similarity).toBe(match.similarity);
  expect(api.events().map(({ type }) => type)).toEqual(["threat.created", "threat.created"]);
});

test("resubmitting a name reports it as known and creates no second threat", async () => {
  await submit({ domains: ["examp1e-bank.com"] });
  const again = await submit("examp1e-bank.com\r\n\r\n", asText);
  expect(again.json.data[0].matches[0].outcome).toBe("known");
  expect(again.json.meta).toEqual({ received: 1, invalid: 0, matched: 1, created: 0 });
  expect(api.events()).toHaveLength(1);
});

test("URLs, email addresses and defanged names count as the host in them, and invalid items are explained", async () => {
  const domains = [
    "https://one-example-bank.com/login",
    "hxxp://two-example-bank[.]com",
    "login@three-example-bank(.)com",
    "http://192.0.2.7/",
    ...Array.from({ length: 200 }, () => "nodot"),
  ];
  const { meta, data } = (await submit({ domains })).json;
  expect(data.map(({ domain }: { domain: string }) => domain)).toEqual(
    ["one", "two", "three"].map((word) => `${word}-example-bank.com`),
  );
  expect(meta).toMatchObject({ received: 204, invalid: 201, matched: 3, created: 3 });
  expect(meta.errors).toHaveLength(100);
  expect(meta.errors.slice(0, 2)).toEqual([
    { index: 3, reason: "has a host that is an IP address, not a host name" },
    { index: 4, reason: "is a single label, not a full name" },
  ]);
});

test("the response says how items were read that are not plain names, and the URL is a fact of the threat", async () => {
  const domains = [
    "plain-example-bank.com",
    "hxxps://paypa1-example-bank[.]com/login",
    "defanged-example-bank[.]com",
    "two@two-example-bank.com, https://three-example-bank.com/x",
    "http://192.0.2.7/",
  ];
  const { meta, data } = (await submit({ domains })).json;
  expect(meta).toMatchObject({ received: 5, invalid: 1, matched: 5 });
  expect(meta.interpreted).toEqual([
    {
      index: 1,
      form: "url",
      domain: "paypa1-example-bank.com",
      url: "https://paypa1-example-bank.com/login",
    },
    { index: 2, form: "host_name", domain: "defanged-example-bank.com" },
    { index: 3, form: "email_address", domain: "two-example-bank.com" },
    { index: 3, form: "url", domain: "three-example-bank.com", url: "https://three-example-bank.com/x" },
    { index: 4, form: "ip_address", domain: null, url: "http://192.0.2.7/" },
  ]);
  const facts = await api.call("GET", `/v1/threats/${data[1].matches[0].threat_id}/facts`, { key });
  expect(JSON.stringify(facts.json)).toContain("https://paypa1-example-bank.com/login");
});

test("an email is one item, in JSON and as text, and its links and senders are checked", async () => {
  const email =
    "Received: by mx.example-bank.com\r\nFrom: x <x@sender-example-bank.com>\r\nTo: abuse@example-bank.com\r\n" +
    "Subject: x\r\nContent-Type: text/html\r\n\r\n<a href='https://link-example-bank.com/a?b=1&amp;c=2'>x</a>\r\n";
  const interpreted = [
    { form: "message_sender", domain: "sender-example-bank.com" },
    { form: "message_link", domain: "link-example-bank.com", url: "https://link-example-bank.com/a?b=1&c=2" },
  ];
  const json = (await submit({ domains: ["a.example", email] })).json;
  expect(json.meta).toMatchObject({ received: 2, invalid: 0, matched: 2, created: 2 });
  expect(json.meta.interpreted).toEqual(interpreted.map((read) => ({ index: 1, ...read })));
  const text = (await submit(email, asText)).json;
  expect(text.meta).toMatchObject({ received: 1, invalid: 0, matched: 2, created: 0 });
  expect(text.meta.interpreted).toEqual(interpreted.map((read) => ({ index: 0, ...read })));
  const empty = (await submit("From: x\nSubject: y\n\nHello", asText)).json;
  expect(empty.meta.errors).toEqual([{ index: 0, reason: "is an email without a link or a sender" }]);
});

test("in text, comments and blank lines are skipped", async () => {
  const response = await submit("# from the mail gateway\n\n  # indented\nexamp1e-bank.com\n", asText);
  expect(response.json.meta).toEqual({ received: 1, invalid: 0, matched: 1, created: 1 });
  expect((await submit("# nothing else\n", asText)).status).toBe(400);
});

test("observed_at accepts RFC 3339 and at most five minutes in the future", async () => {
  const at = (ms: number) => new Date(api.clock.now() + ms).toISOString();
  const observed = (observed_at: string) => submit({ domains: ["examp1e-bank.com"], observed_at });
  for (const accepted of [at(4 * 60_000), "2026-01-01t00:00:00z", "2026-01-01T00:00:00+05:30"])
    expect([accepted, (await observed(accepted)).status]).toEqual([accepted, 200]);
  const late = await observed(at(6 * 60_000));
  expect([late.status, late.json.error.message]).toEqual([
    400,
    '"observed_at" is more than five minutes in the future; send the time of the sighting.',
  ]);
  expect((await observed("2026-01-01T24:00:00Z")).json.error.message).toStartWith(
    '"observed_at" is not a time',
  );
});

test("observed_at becomes first_seen, from any time zone", async () => {
  await submit({ domains: ["examp1e-bank.com"], observed_at: "2026-01-01T01:30:00.5+01:30" });
  const list = await api.call("GET", "/v1/threats", { key });
  expect(list.json.data[0].first_seen).toBe("2026-01-01T00:00:00.500Z");
});

test("a key bound to a domain neither creates nor sees threats to other domains", async () => {
  const bound = api.key({ domains: ["example-shop.com"] });
  const response = await submit({ domains: ["examp1e-bank.com", "exarnple-shop.com"] }, { key: bound });
  expect(response.json.data.map(({ domain }: { domain: string }) => domain)).toEqual(["exarnple-shop.com"]);
  expect((await api.call("GET", "/v1/threats", { key })).json.meta.total).toBe(1);
});

test("accepts 10,000 names and a body of several MiB", async () => {
  const name = (index: number) => `${index}.${"x".repeat(60)}.${"y".repeat(60)}.${"z".repeat(60)}.example`;
  const domains = Array.from({ length: 10_000 }, (_, index) => name(index));
  const response = await submit({ domains });
  expect(response.json.meta).toEqual({ received: 10_000, invalid: 0, matched: 0, created: 0 });
  expect((await submit(domains.join("\n"), asText)).json.meta.received).toBe(10_000);
});

describe("POST /v1/candidates", () => {
  const domains = ["examp1e-bank.com"];
  const many = Array.from({ length: 10_001 }, () => "a.com");
  const bodies: [string, unknown, RegExp, Call?][] = [
    ["no names", { domains: [] }, /^"domains" has the wrong number of items; send an array of 1 to 10000/],
    ["too many names", { domains: many }, /^"domains" has the wrong number of items/],
    ["a name that is a number", { domains: [1] }, /^"domains\[0\]" is not a string/],
    ["another field", { domains, source: "scan" }, /^There is no field "source"/],
    ["an empty text", " \n\n", /^The body contains 0 names; send 1 to 10000, one per line\.$/, asText],
    ["a text of too many lines", many.join("\n"), /^The body contains more than 10000 names/, asText],
    [
      "another content type",
      "a.com",
      /send application\/json or text\/plain/,
      { headers: { "content-type": "text/csv" } },
    ],
    ["more than 10 MiB", "x".repeat((10 << 20) + 1), /^The body is longer than 10485760 bytes/, asText],
    [
      "a day that does not exist",
      { domains, observed_at: "2026-02-31T00:00:00Z" },
      /^"observed_at" is not a time/,
    ],
    [
      "a month that does not exist",
      { domains, observed_at: "2026-13-01T00:00:00Z" },
      /^"observed_at" is not a time/,
    ],
    [
      "a time without a zone",
      { domains, observed_at: "2026-01-01T00:00:00" },
      /^"observed_at" is not a time/,
    ],
    ["a day without a time", { domains, observed_at: "2026-01-01" }, /^"observed_at" is not a time/],
    ["a time before 1970", { domains, observed_at: "1969-12-31T23:59:59Z" }, /^"observed_at" is not a time/],
    ["a time that is a number", { domains, observed_at: 1 }, /^"observed_at" is not a string/],
  ];
  for (const [what, body, message, call] of bodies) {
    test(`rejects ${what}`, async () => {
      const response = await submit(body, call);
      expect(response.json.error.message).toMatch(message);
      expect(response.status).toBe(400);
      expect((await api.call("GET", "/v1/threats", { key })).json.meta.total).toBe(0);
    });
  }
});
