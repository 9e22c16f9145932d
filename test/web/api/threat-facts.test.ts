import { afterEach, expect, test } from "bun:test";
import { openApi, type Api } from "../../support/api.ts";
import { phishingFacts } from "../../support/threat-samples.ts";

let api: Api;
afterEach(() => api.dispose());

const at = Date.parse("2026-01-15T12:00:09Z");
const imitation = {
  protectedDomain: "example-bank.com",
  score: 0.97,
  imitates: true,
  signals: [{ code: "some_signal", strength: 1, points: 2.5, params: {} }],
};
const known = {
  facts: {
    ...phishingFacts,
    page: { ...phishingFacts.page!, imitation },
    pageAt: at,
    unknown: { screenshot: "no Chromium" },
  },
  checkedAt: at,
  dueAt: at + 1,
};
const url = "https://examp1e-bank.com/login";
const certificate = {
  issuer: "CN=R11",
  serial: "04d1",
  notBefore: at,
  log: "Example log",
  entryUrl: "https://log.example/tile/data/000",
  index: 17,
  isVerified: true,
};

function seen(): string {
  const domain = "examp1e-bank.com";
  const match = {
    protectedDomain: "example-bank.com",
    type: "homograph" as const,
    similarity: 1,
    reasons: [],
  };
  const source = "certificate_transparency" as const;
  return api.threats.record([{ domain, match, source, seenAt: 0, url, certificate }])[0]!.threatId;
}

test("the facts of a threat are returned with times, reasons, certificates and addresses", async () => {
  api = openApi({ factsOf: () => known });
  const response = await api.call("GET", `/v1/threats/${seen()}/facts`, { key: api.key() });
  expect(response.status).toBe(200);
  expect(response.json.data).toMatchObject({
    looked_at: "2026-01-15T12:00:09.000Z",
    next_look_at: "2026-01-15T12:00:09.001Z",
    dns: { exists: "yes", mail_servers: ["mx1.mail.example"] },
    page: { status: 200, certificate: { issuer: "R11, Let's Encrypt", fault: null } },
    inspection: {
      protected_domain: "example-bank.com",
      imitates: true,
      score: 0.97,
      original: null,
      signals: [{ code: "some_signal", points: 2.5, text: "some signal" }],
      inspected_at: "2026-01-15T12:00:09.000Z",
    },
    unknown: { screenshot: "no Chromium" },
    certificates: [
      { issuer: "CN=R11", serial: "04d1", index: 17, not_before: "2026-01-15T12:00:09.000Z", verified: true },
    ],
    urls: [{ url, source: "certificate_transparency" }],
  });
});

test("the facts of a threat about which nothing is known are null", async () => {
  api = openApi();
  const [id] = api.sight("examp1e-bank.com");
  const { json } = await api.call("GET", `/v1/threats/${id}/facts`, { key: api.key() });
  expect(json.data).toMatchObject({
    verified: false,
    reason_codes: [],
    severity_summary: "unverified · near miss",
    severity_reason_codes: ["name_near_miss"],
    looked_at: null,
    dns: null,
    page: null,
    inspection: null,
    certificates: [],
  });
});

test("the facts of a threat are as protected as the threat itself", async () => {
  api = openApi();
  const [id] = api.sight("examp1e-bank.com");
  const path = `/v1/threats/${id}/facts`;
  expect((await api.call("GET", path)).status).toBe(401);
  expect((await api.call("GET", path, { key: api.key({ scopes: ["candidates:write"] }) })).status).toBe(403);
  expect((await api.call("GET", path, { key: api.key({ domains: ["example-shop.com"] }) })).status).toBe(403);
  const unknown = "/v1/threats/thr_01h455vb4pex5vsknk084sn02q/facts";
  expect((await api.call("GET", unknown, { key: api.key() })).status).toBe(404);
});
