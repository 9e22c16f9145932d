import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { openApi, type Api } from "../../support/api.ts";

let api: Api;
let key: string;
beforeEach(() => {
  api = openApi();
  key = api.key();
});
afterEach(() => api.dispose());

const unknownId = "thr_01h455vb4pex5vsknk084sn02q";
const shop = {
  domain: "examp1e-shop.com",
  match: { protectedDomain: "example-shop.com", type: "homograph" as const, similarity: 1, reasons: [] },
};

describe("GET /v1/threats", () => {
  test("returns exactly the specified fields", async () => {
    const [id] = api.sight("examp1e-bank.com");
    const response = await api.call("GET", "/v1/threats", { key });
    expect(response.status).toBe(200);
    expect(response.json).toEqual({
      data: [
        {
          id,
          domain: "examp1e-bank.com",
          protected_domain: "example-bank.com",
          type: "typosquatting",
          status: "active",
          severity: "medium",
          similarity: 0.9375,
          source: "feed",
          first_seen: "2026-01-15T12:00:01.000Z",
          screenshot_url: expect.stringMatching(
            new RegExp(`^http://phishwatch\\.test/screenshots/${id}/[\\w-]{22}$`),
          ),
        },
      ],
      meta: { total: 1, page: 1, per_page: 20 },
    });
  });

  test("returns pages, newest first, and an empty page past the last one", async () => {
    const ids = api.sight("a1.com", "a2.com", "a3.com").reverse();
    const idsOf = async (query: string) =>
      (await api.call("GET", `/v1/threats?${query}`, { key })).json.data.map((one: { id: string }) => one.id);
    expect(await idsOf("per_page=2")).toEqual(ids.slice(0, 2));
    expect(await idsOf("per_page=2&page=2")).toEqual(ids.slice(2));
    expect(await idsOf("per_page=2&page=3")).toEqual([]);
    expect(await idsOf("page=9007199254740991&per_page=100")).toEqual([]);
    const past = await api.call("GET", "/v1/threats?page=7", { key });
    expect(past.json.meta).toEqual({ total: 3, page: 7, per_page: 20 });
  });

  test("combines the filters for protected domain (in any form), status and severity with AND", async () => {
    const [bank] = api.sight("examp1e-bank.com", shop);
    await api.call("PATCH", `/v1/threats/${bank}`, { key, body: { status: "resolved" } });
    const total = async (query: string) =>
      (await api.call("GET", `/v1/threats?${query}`, { key })).json.meta.total;
    expect(await total("domain=example-bank.com")).toBe(1);
    expect(await total("domain=EXAMPLE-Bank.com.")).toBe(1);
    expect(await total("domain=unknown.example")).toBe(0);
    expect(await total("status=resolved")).toBe(1);
    expect(await total("status=active&severity=high")).toBe(1);
    expect(await total("status=resolved&severity=high")).toBe(0);
    expect(await total("domain=example-shop.com&status=resolved")).toBe(0);
    expect(await total("")).toBe(2);
  });

  test.each(["com", "example-bank", "b%C3%BCcher", "co.uk", "unknown.example"])(
    "is empty for the domain %s, which is not protected, also if it is a single label or a public suffix",
    async (domain) => {
      api.sight("examp1e-bank.com");
      const { json } = await api.call("GET", `/v1/threats?domain=${domain}`, { key });
      expect([json.data, json.meta.total]).toEqual([[], 0]);
    },
  );

  test.each([
    ["status=", /^status is empty; .* Allowed: active, resolved, false_positive\.$/],
    ["page=1&page=2", /^page is given more than once; .* Allowed: a whole number from 1 to \d+\.$/],
    ["severity=high&severity=low", /^severity is given more than once; .* Allowed: high, medium, low\.$/],
    ["domain=", /^domain is empty; .* Allowed: a domain name, such as example\.com\.$/],
  ])("states for the empty or repeated parameter in ?%s what is allowed", async (query, message) => {
    const response = await api.call("GET", `/v1/threats?${query}`, { key });
    expect([response.status, response.json.error.code]).toEqual([400, "bad_request"]);
    expect(response.json.error.message).toMatch(message);
  });

  test.each([
    ["https://example-bank.com/", "is a URL; enter only the host name"],
    ["http://example-bank.com", "is a URL; enter only the host name"],
    ["example-bank.com:443", "contains a port; enter only the host name"],
    ["example-bank.com/x y", 'contains "/", which host names cannot contain'],
    ["192.0.2.7", "is an IP address, not a host name"],
    ["*.example-bank.com", "is a wildcard; leave out the asterisk"],
    ["-a.com", "has a label with an underscore, a hyphen at its edge or invalid Punycode"],
    ["a_b.example-bank.com", "has a label with an underscore, a hyphen at its edge or invalid Punycode"],
  ])("says what is wrong with the domain %s", async (domain, error) => {
    const response = await api.call("GET", `/v1/threats?domain=${encodeURIComponent(domain)}`, { key });
    expect([response.status, response.json.error.message]).toEqual([
      400,
      `domain is not a domain name: it ${error}.`,
    ]);
  });

  const rejected: [string, RegExp][] = [
    ["status=open", /^status is "open"; allowed: active, resolved, false_positive\.$/],
    ["status", /^status is empty/],
    ["status=Active", /^status is "Active"/],
    ["status=active&status=active", /^status is given more than once/],
    ["status=active&st%61tus=resolved", /^status is given more than once/],
    ["severity=critical", /^severity is "critical"; allowed: high, medium, low\.$/],
    [
      "state=active",
      /^There is no parameter "state"; there are: domain, status, severity, type, source, q, since, min_similarity, page, per_page\.$/,
    ],
    ["access_token=x", /^There is no parameter "access_token"/],
    ["__proto__=x", /^There is no parameter "__proto__"/],
    ["=x", /^There is no parameter ""/],
    ["page=0", /^page is "0"; allowed: a whole number from 1 to 9007199254740991\.$/],
    ["page=-1", /^page is "-1"/],
    ["page=1.0", /^page is "1\.0"/],
    ["page=1e3", /^page is "1e3"/],
    ["page=0x10", /^page is "0x10"/],
    ["page=+5", /^page is " 5"/],
    ["page=%205", /^page is " 5"/],
    ["page=%EF%BC%91", /^page is "/],
    ["page=9007199254740993", /^page is "/],
    [`page=${"9".repeat(400)}`, /^page is "9{99}…"; allowed/],
    ["page=NaN", /^page is "NaN"/],
    ["per_page=101", /^per_page is "101"; allowed: a whole number from 1 to 100\.$/],
    ["per_page=%zz", /^per_page is not percent-encoded UTF-8/],
    ["per_page=%ff", /^per_page is not percent-encoded UTF-8/],
    ["per_page=%00", /^per_page is "\\u\{0\}"/],
    ["domain=%00", /^domain is not a domain name/],
    [`domain=${"a".repeat(4_000)}.com`, /^domain is not a domain name: it is longer than 253 bytes\.$/],
    ["status=%E2%80%AEactive", /^status is "\\u\{202e\}active"/],
  ];
  for (const [query, message] of rejected) {
    test(`rejects ?${query.slice(0, 60)} and states why`, async () => {
      const response = await api.call("GET", `/v1/threats?${query}`, { key });
      expect(response.json.error.code).toBe("bad_request");
      expect(response.json.error.message).toMatch(message);
      expect(response.status).toBe(400);
      expect(response.json.error.message.length).toBeLessThan(250);
    });
  }
});

describe("GET /v1/threats/:id", () => {
  test("returns exactly the specified fields", async () => {
    const [id] = api.sight("examp1e-bank.com");
    const response = await api.call("GET", `/v1/threats/${id}`, { key });
    expect(response.json).toEqual({
      data: {
        id,
        domain: "examp1e-bank.com",
        protected_domain: "example-bank.com",
        type: "typosquatting",
        status: "active",
        severity: "medium",
        similarity: 0.9375,
        source: "feed",
        created_at: "2026-01-15T12:00:01.000Z",
        screenshot_url: expect.stringContaining(`/screenshots/${id}/`),
        ip_address: null,
        registrar: null,
        whois: {},
      },
    });
    expect(response.status).toBe(200);
  });

  test("returns the bytes and headers that a change returns, whether the threat was read before or not", async () => {
    const [id] = api.sight("examp1e-bank.com");
    api.database.sqlite.run("UPDATE threats SET whois = ?, registrar = ?, ip_address = ?", [
      `{"registrar":"B\u00fccher \u4e2d \\ud800","name_servers":["ns1.example.com"],"dnssec":true}`,
      `B\u00fccher "\u4e2d"`,
      "192.0.2.7",
    ]);
    const request = { key, headers: { "x-request-id": "same" } };
    const first = await api.call("GET", `/v1/threats/${id}`, request);
    const second = await api.call("GET", `/v1/threats/${id}`, request);
    const unchanged = { ...request, body: { status: "active" } };
    const changed = await api.call("PATCH", `/v1/threats/${id}`, unchanged);
    expect(first.json.data.whois.registrar).toBe("B\u00fccher \u4e2d \ud800");
    for (const { text, headers } of [first, second]) {
      expect(text).toBe(changed.text);
      // Only a read can be conditional.
      const { etag, ...others } = Object.fromEntries(headers);
      expect(etag).toMatch(/^W\/"[0-9a-f]{1,16}"$/);
      expect(others).toEqual(Object.fromEntries(changed.headers));
    }
  });

  const unknown = [
    unknownId,
    unknownId.toUpperCase(),
    "thr_1",
    "1",
    "%zz",
    "%00",
    "%2e%2e%2f",
    "thr_%E2%80%AE",
    "x".repeat(4_000),
    `${unknownId}/more`,
    `${unknownId}/`,
    "",
    "' or 1=1 --",
  ];
  for (const id of unknown) {
    test(`returns 404 for the id ${JSON.stringify(id.slice(0, 40))}`, async () => {
      const response = await api.call("GET", `/v1/threats/${id}`, { key });
      expect(response.json.error.code).toBe("not_found");
      expect(response.status).toBe(404);
    });
  }
});

describe("PATCH /v1/threats/:id", () => {
  test("two clients that change one threat at once each get the status that they set", async () => {
    const [id] = api.sight("examp1e-bank.com");
    const change = async (status: string) => {
      const response = await api.call("PATCH", `/v1/threats/${id}`, { key, body: { status } });
      return [status, response.json.data.status];
    };
    const changes = Array.from({ length: 40 }, (_, index) =>
      change(index % 2 ? "resolved" : "false_positive"),
    );
    for (const [set, returned] of await Promise.all(changes)) expect(returned).toBe(set);
  });

  test("returns the threat after the change, and emits events only for a change", async () => {
    const [id] = api.sight("examp1e-bank.com");
    const change = (status: string) => api.call("PATCH", `/v1/threats/${id}`, { key, body: { status } });
    for (const status of ["resolved", "false_positive", "active", "resolved", "active", "false_positive"]) {
      const response = await change(status);
      expect(response.status).toBe(200);
      expect(response.json.data).toMatchObject({ id, status, created_at: "2026-01-15T12:00:01.000Z" });
    }
    const events = api.events().length;
    expect((await change("false_positive")).status).toBe(200);
    expect(api.events().length).toBe(events);
    expect(api.events().filter(({ type }) => type === "threat.resolved")).toHaveLength(2);
  });

  test("returns 404 for an unknown ID", async () => {
    const response = await api.call("PATCH", `/v1/threats/${unknownId}`, { key, body: { status: "active" } });
    expect(response.status).toBe(404);
  });

  test("returns 404 for other methods", async () => {
    const [id] = api.sight("examp1e-bank.com");
    for (const method of ["PUT", "POST", "DELETE", "OPTIONS"]) {
      const response = await api.call(method, `/v1/threats/${id}`, { key });
      expect(response.status).toBe(404);
      expect(response.json.error.code).toBe("not_found");
    }
  });
});

describe("POST /v1/threats/batch", () => {
  test("returns one item for each distinct ID, in order, and counts the outcomes", async () => {
    const [one, two] = api.sight("a1.com", "a2.com");
    await api.call("PATCH", `/v1/threats/${two}`, { key, body: { status: "resolved" } });
    const body = { ids: [unknownId, two, one, two, "\0nonsense"], action: "resolve" };
    const response = await api.call("POST", "/v1/threats/batch", { key, body });
    expect(response.json).toEqual({
      data: [
        { id: unknownId, outcome: "not_found" },
        { id: two, outcome: "unchanged", status: "resolved" },
        { id: one, outcome: "updated", status: "resolved" },
        { id: "\0nonsense", outcome: "not_found" },
      ],
      meta: { updated: 1, unchanged: 1, not_found: 2, forbidden: 0 },
    });
    expect(response.status).toBe(200);
  });

  test("maps each action to its status", async () => {
    const [id] = api.sight("a1.com");
    for (const [action, status] of [
      ["mark_false_positive", "false_positive"],
      ["resolve", "resolved"],
      ["reactivate", "active"],
    ]) {
      const response = await api.call("POST", "/v1/threats/batch", { key, body: { ids: [id], action } });
      expect(response.json.data).toEqual([{ id, outcome: "updated", status }]);
    }
  });

  test("accepts the maximum number of IDs and rejects one more", async () => {
    const ids = Array.from({ length: 1001 }, (_, index) => `thr_${index}`);
    const call = (count: number) =>
      api.call("POST", "/v1/threats/batch", { key, body: { ids: ids.slice(0, count), action: "resolve" } });
    expect((await call(1000)).json.meta.not_found).toBe(1000);
    expect((await call(1001)).json.error.message).toBe(
      `"ids" has the wrong number of items; send an array of 1 to 1000 strings.`,
    );
    expect((await call(0)).status).toBe(400);
  });
});

describe("a key bound to a domain", () => {
  test("reads and changes only the threats of that domain", async () => {
    const [bank, other] = api.sight("examp1e-bank.com", shop);
    const bound = api.key({ domains: ["example-shop.com"] });
    const list = await api.call("GET", "/v1/threats", { key: bound });
    expect(list.json.data.map(({ id }: { id: string }) => id)).toEqual([other]);
    expect(list.json.meta.total).toBe(1);
    expect((await api.call("GET", "/v1/threats?domain=example-shop.com", { key: bound })).status).toBe(200);
    const status = async (method: string, path: string, body?: unknown) =>
      (await api.call(method, path, { key: bound, body })).status;
    expect(await status("GET", "/v1/threats?domain=example-bank.com")).toBe(403);
    expect(await status("GET", "/v1/threats?domain=unknown.example")).toBe(403);
    expect(await status("GET", `/v1/threats/${bank}`)).toBe(403);
    expect(await status("GET", `/v1/threats/${other}`)).toBe(200);
    expect(await status("PATCH", `/v1/threats/${bank}`, { status: "resolved" })).toBe(403);
    const body = { ids: [bank, other], action: "resolve" };
    expect((await api.call("POST", "/v1/threats/batch", { key: bound, body })).json).toEqual({
      data: [
        { id: bank, outcome: "forbidden" },
        { id: other, outcome: "updated", status: "resolved" },
      ],
      meta: { updated: 1, unchanged: 0, not_found: 0, forbidden: 1 },
    });
    expect(api.threats.get(bank!)?.status).toBe("active");
  });
});

test("the router does not copy the headers of a request of the API", async () => {
  const [id] = api.sight("examp1e-bank.com");
  const request = new Request(`http://localhost/v1/threats/${id}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const toJSON = spyOn(request.headers, "toJSON");
  expect((await api.server.dispatch(request)).status).toBe(200);
  expect(toJSON).not.toHaveBeenCalled();
});

test("the router returns the response of a read synchronously, not as a promise", () => {
  const [id] = api.sight("examp1e-bank.com");
  const headers = { authorization: `Bearer ${key}` };
  for (const path of ["/v1/threats", `/v1/threats/${id}`, "/v1/threats?page=0", "/v1/threats/unknown"]) {
    expect(api.server.dispatch(new Request(`http://localhost${path}`, { headers }))).toBeInstanceOf(Response);
  }
});
