import type { Record } from "./recording.ts";
import { withoutVariables } from "./recording.ts";
import { describeResponse, type Sandbox } from "./server.ts";

/** Records responses of the API and the control plane, and everything that webhook endpoints receive. */
export async function recordApi(sandbox: Sandbox, record: Record): Promise<void> {
  const request = async (name: string, path: string, init: RequestInit & { key?: string } = {}) => {
    const { key = "enterprise", ...rest } = init;
    const headers = new Headers({ "accept-encoding": "identity", ...rest.headers });
    if (key !== "") headers.set("authorization", `Bearer ${sandbox.keys[key] ?? key}`);
    const response = await fetch(`${sandbox.url}${path}`, { redirect: "manual", ...rest, headers });
    const observed = await describeResponse(response);
    record(`api: ${name}`, withoutVariables(observed));
    return observed;
  };
  const send = (method: string, path: string, body: unknown, more: { key?: string; type?: string } = {}) =>
    request(
      `${more.key ? `${more.key}: ` : ""}${method} ${path} ${String(JSON.stringify(body)).slice(0, 120)}`,
      path,
      {
        method,
        body: typeof body === "string" ? body : JSON.stringify(body),
        headers: { "content-type": more.type ?? "application/json" },
        ...(more.key === undefined ? {} : { key: more.key }),
      },
    );
  const control = (path: string, body: unknown = {}) => send("POST", `/sandbox${path}`, body);

  /** Waits until each delivery has been attempted. */
  const firstAttempts = async () => {
    for (;;) {
      const { data } = await getData<{ attempts: unknown[] }[]>(sandbox, "/sandbox/deliveries");
      if (data.every(({ attempts }) => attempts.length > 0)) return data;
    }
  };
  /** Deliveries of several events arrive in any order. */
  const recordInbox = async (name: string) => {
    await firstAttempts();
    const { data } = await getData<{ body: string; headers: object }[]>(sandbox, "/sandbox/inbox/all");
    const messages = data.map(({ body, headers }) => `${body} ${JSON.stringify(headers)}`).sort();
    record(`api: ${name}`, withoutVariables(messages.join("\n")));
  };

  await control("/webhooks", { inbox: "all", secret: `whsec_${btoa("comparison of two builds, 32 byte")}` });
  const ids = await idsOf(sandbox);

  for (const path of reads) await request(`GET ${path}`, path);
  for (const id of ids.slice(0, threatsRead))
    for (const part of ["", "/facts", "/case", "/history"])
      await request(`GET threat ${ids.indexOf(id)}${part}`, `/v1/threats/${id}${part}`);
  for (const key of ["", "nonsense", ...Object.keys(sandbox.keys)]) {
    await request(`GET /v1/threats as ${key || "nobody"}`, "/v1/threats?per_page=1", { key });
    await request(`GET unknown path as ${key || "nobody"}`, "/v1/unknown", { key });
    await send("PATCH", `/v1/threats/${ids[0]}`, { status: "resolved" }, { key });
    await send("POST", "/v1/candidates", { domains: ["examp1e-bank.com"] }, { key });
  }
  for (const [method, path, body, type] of changes(ids))
    await send(method, path, body, { ...(type && { type }) });

  for (const [path, body] of happenings) await control(path, body);
  await recordInbox("inbox");
  await control("/inbox/all/failures", { status: 503, times: 5 });
  await control("/threats", { domain: "verify.example-bank.top" });
  await firstAttempts();
  for (const advance of ["1m", "5m", "30m", "2h"]) await control("/clock", { advance });
  await recordInbox("inbox at the end");
  const metrics = await (await fetch(`${sandbox.url}/metrics`)).text();
  record("api: names of metrics", metrics.match(/^# (?:HELP|TYPE) .*$/gm)?.join("\n") ?? "");
}

/** Threats of which every sub-resource is read. */
const threatsRead = 30;

async function idsOf(sandbox: Sandbox): Promise<string[]> {
  const { data } = await getData<{ id: string }[]>(sandbox, "/v1/threats?per_page=100");
  return data.map(({ id }) => id);
}

async function getData<T>({ url, keys }: Sandbox, path: string): Promise<{ data: T }> {
  const response = await fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${keys["enterprise"]}` },
  });
  return (await response.json()) as { data: T };
}

const filters = {
  domain: ["example-bank.com", "EXAMPLE-BANK.com", "unknown.example", "com", "", "bücher.example", "a b"],
  status: ["active", "resolved", "false_positive", "open", ""],
  severity: ["high", "medium", "low", "none"],
  type: ["homograph", "cloned_site", "nothing"],
  source: ["scan", "feed", "nothing"],
  q: ["bank", "exa", "xn--", "", "ä"],
  since: ["2026-01-01T00:00:00Z", "2026-01-15", "yesterday"],
  min_similarity: ["0.9", "1", "2", "x"],
  page: ["1", "2", "99", "0", "-1", "1.5", "x"],
  per_page: ["1", "100", "101", "0", ""],
  unknown: ["1"],
};
const reads = [
  ...Object.entries(filters).flatMap(([name, values]) =>
    values.map((value) => `/v1/threats?${name}=${encodeURIComponent(value)}`),
  ),
  "/v1/threats?status=active&severity=high&domain=example-bank.com",
  "/v1/threats?status=active&status=resolved",
  ...["csv", "jsonl", "stix", "pdf", ""].map((format) => `/v1/threats/export?format=${format}`),
  "/v1/threats/export?format=csv&status=active&severity=high",
  "/v1/threats/thr_unknown",
  "/v1/threats/thr_00000000000000000000000000",
  "/",
  "/healthz",
  "/readyz",
  "/openapi.json",
  "/docs/api",
  "/sandbox",
  "/sandbox/openapi.json",
  "/sandbox/clock",
  "/sandbox/webhooks",
  "/sandbox/unknown",
  "/lists/unknown/block.txt",
  "/b/unknown",
  "/t/unknown",
  "/screenshots/unknown",
  "/unknown",
];

function changes(ids: readonly string[]): [method: string, path: string, body: unknown, type?: string][] {
  const threat = `/v1/threats/${ids[1]}`;
  const statuses = ["resolved", "resolved", "false_positive", "active", "resolved", "active"];
  return [
    ...statuses.map((status): [string, string, unknown] => ["PATCH", threat, { status }]),
    ...[
      {},
      { status: "open" },
      { status: 1 },
      { status: "active", more: 1 },
      [],
      null,
      "text",
      '{"status":',
      "",
    ].map((body): [string, string, unknown] => ["PATCH", threat, body]),
    ["PATCH", threat, { status: "active" }, "text/plain"],
    ["PUT", threat, { status: "active" }],
    ["POST", "/v1/threats/batch", { ids: ids.slice(2, 12), action: "resolve" }],
    [
      "POST",
      "/v1/threats/batch",
      { ids: [...ids.slice(8, 14), "thr_unknown", ids[8]], action: "mark_false_positive" },
    ],
    ["POST", "/v1/threats/batch", { ids: ids.slice(2, 14), action: "reactivate" }],
    ...[
      { ids: [], action: "resolve" },
      { ids: ids.slice(0, 1), action: "close" },
      { ids: "all" },
      {},
      { ids: [1] },
    ].map((body): [string, string, unknown] => ["POST", "/v1/threats/batch", body]),
    ["POST", "/v1/candidates", { domains: candidates }],
    ["POST", "/v1/candidates", `# list\n\n${candidates.join("\n")}\n`, "text/plain"],
    ["POST", "/v1/candidates", { domains: ["examp1e-bank.net"], observed_at: "2026-01-10T00:00:00Z" }],
    ...[
      { domains: [] },
      { domains: [1] },
      { domains: ["a.com"], observed_at: "2027-01-01T00:00:00Z" },
      {},
    ].map((body): [string, string, unknown] => ["POST", "/v1/candidates", body]),
    ["DELETE", threat, {}],
  ];
}

const candidates = [
  "examp1e-bank.com",
  "example-bank.evil.top",
  "xn--exmple-bank-1fb.com",
  "EXAMPLE-BANK-LOGIN.com.",
  "hxxps://examp1e-shop[.]com/login",
  "someone@samp1ix.org",
  "news.org",
  "not a name",
  "192.0.2.1",
  "-.com",
];

/** Each causes events. */
const happenings: [path: string, body: unknown][] = [
  ["/threats", { count: 3 }],
  ["/threats", { domain: "login-example-bank.com", type: "combosquatting", similarity: 0.9, source: "feed" }],
  ["/scans", {}],
  ["/scans", { protected_domains: ["example-bank.com"], finds: 2 }],
  ["/scans", { fails: true }],
  ["/beacon-hits", {}],
  ["/beacon-hits", { hostname: "copy.example.net" }],
  ["/token-accesses", {}],
  ["/token-accesses", { kind: "url" }],
  ["/certificates", { names: ["examp1e-bank.org", "harmless.example.org"] }],
  ["/pages", { host: "kit.example.net", protected_domain: "example-bank.com", imitates: true }],
  ["/threats", { domain: 1 }],
  ["/scans", { unknown: 1 }],
];
