import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { naiveSearch } from "../../threats/index/naive.ts";
import { newestFirst, type SearchFilter } from "../../../src/threats/index/filter.ts";
import { parseNameQuery } from "../../../src/threats/index/columns/name-query.ts";
import type { Threat } from "../../../src/threats/threats/store/queries.ts";
import {
  severities,
  statuses,
  threatSources,
  type ThreatType,
} from "../../../src/platform/vocabulary/threats.ts";
import { openApi, type Api } from "../../support/api.ts";
import { randomFrom, seed } from "../../support/random.ts";
import { analyst } from "../../support/stores.ts";

const domains = ["example-bank.com", "example-shop.com"];
const types: ThreatType[] = ["typosquatting", "homograph", "combosquatting"];
const random = randomFrom(seed);
const pick = <T>(values: readonly T[]): T => values[random(values.length)]!;
const maybe = <T>(values: readonly T[]): T | undefined => (random(3) === 0 ? pick(values) : undefined);

let api: Api;
let key: string;
let bankKey: string;
let rows: Threat[];

beforeAll(() => {
  console.log(`seed ${seed} (TEST_SEED)`);
  api = openApi();
  key = api.key();
  bankKey = api.key({ domains: [domains[0]!] });
  const ids = Array.from({ length: 150 }, (_, index) => {
    const protectedDomain = pick(domains);
    const match = { protectedDomain, type: pick(types), similarity: pick([0.8, 0.9123, 0.99]), reasons: [] };
    const domain = index % 10 === 0 ? `xn--pypal-4ve-${index}.com` : `example${random(9)}-${index}.shop`;
    const seenAt = api.clock.now() - random(5) * 1_000;
    const [id] = api.sight({ domain, match, source: pick(threatSources), seenAt });
    return id!;
  });
  for (const id of ids) {
    api.clock.advance(random(3) * 500);
    if (random(2) === 0) api.threats.changeStatus([id], pick(statuses), { by: analyst });
  }
  rows = ids.map((id) => api.threats.get(id)!);
});
afterAll(() => api.dispose());

const get = async (query: string | URLSearchParams, as = key) =>
  (await api.call("GET", `/v1/threats?${query}`, { key: as })).json;

describe("the additional filters of GET /v1/threats", () => {
  test("return the same pages and totals as filtering all threats, in all combinations with the others and for bound keys", async () => {
    for (let round = 0; round < 200; round += 1) {
      const isBound = random(3) === 0;
      const since = maybe(rows.map(({ changedAt }) => changedAt));
      const q = maybe(["example3", "AMPLE*", "EXAMPLE1*", "hxxps://www-7[.]shop/x", "-1", "xn--"]);
      const filter: SearchFilter = {
        protectedDomain: maybe(isBound ? domains.slice(0, 1) : [...domains, "unknown.example"]),
        status: maybe(statuses),
        severity: maybe(severities),
        type: maybe(types),
        source: maybe(threatSources),
        text: q === undefined ? undefined : parseNameQuery(q),
        changedSince: since,
        minSimilarity: maybe([0, 0.9123, 0.95, 1]),
        within: isBound ? domains.slice(0, 1) : undefined,
      };
      const query = new URLSearchParams(
        Object.entries({
          domain: filter.protectedDomain,
          status: filter.status,
          severity: filter.severity,
          type: filter.type,
          source: filter.source,
          q,
          since: since === undefined ? undefined : new Date(since).toISOString(),
          min_similarity: filter.minSimilarity?.toString(),
          page: String(1 + random(4)),
          per_page: String(1 + random(30)),
        }).filter((entry): entry is [string, string] => entry[1] !== undefined),
      );
      const [page, perPage] = [Number(query.get("page")), Number(query.get("per_page"))];
      const expected = naiveSearch(rows, filter, newestFirst).map(({ id }) => id);
      const { data, meta } = await get(query, isBound ? bankKey : key);
      expect({ query: `${query}`, ...meta, ids: data.map(({ id }: { id: string }) => id) }).toEqual({
        query: `${query}`,
        total: expected.length,
        page,
        per_page: perPage,
        ids: expected.slice((page - 1) * perPage, page * perPage),
      });
    }
  });

  test("return a page with the same objects as the list without them", async () => {
    const all = await get("per_page=100");
    expect(await get("per_page=100&min_similarity=0")).toEqual(all);
    expect(await get("page=9007199254740991&per_page=100&min_similarity=0")).toEqual({
      data: [],
      meta: { total: rows.length, page: Number.MAX_SAFE_INTEGER, per_page: 100 },
    });
  });

  test("find a change as soon as it was made", async () => {
    api.clock.advance(60_000);
    const since = `since=${new Date(api.clock.now()).toISOString()}`;
    expect((await get(since)).meta.total).toBe(0);
    const { id, status } = rows[3]!;
    const other = status === "active" ? "resolved" : "active";
    await api.call("PATCH", `/v1/threats/${id}`, { key, body: { status: other } });
    expect((await get(since)).data).toMatchObject([{ id, status: other }]);
    await api.call("PATCH", `/v1/threats/${id}`, { key, body: { status } });
    Object.assign(rows[3]!, api.threats.get(id));
    expect((await get(`${since}&status=${other}`)).meta.total).toBe(0);
  });

  test.each([
    "bücher.example",
    "B%C3%9CCHER",
    "xn--bcher-kva",
    "hxxps://xn--bcher-kva[.]example/login",
    "bucher*",
  ])("find a name with umlauts by q=%s", async (q) => {
    const domain = "xn--bcher-kva.example";
    if (!rows.some((row) => row.domain === domain)) rows.push(api.threats.get(api.sight({ domain })[0]!)!);
    const { data } = await get(`q=${q}`);
    expect(data.map((threat: { domain: string }) => threat.domain)).toEqual([domain]);
  });

  test.each([
    ["type=phishing", /^type is "phishing"; allowed: typosquatting, .*cloned_site\.$/],
    ["type=", /^type is empty; .* Allowed: typosquatting/],
    [
      "source=email",
      /^source is "email"; allowed: scan, certificate_transparency, feed, submission, beacon\.$/,
    ],
    ["q=", /^q is empty; .* Allowed: part of a name, of at most 1024 characters\.$/],
    ["q=*", /^q is "\*", which contains no part of a name\.$/],
    [`q=${"a".repeat(1_025)}`, /^q is longer than 1024 characters; send part of a name\.$/],
    ["q=a&q=b", /^q is given more than once/],
    ["since=yesterday", /^since is "yesterday"; allowed: RFC 3339 .* such as 2026-01-15T12:00:00Z\.$/],
    ["since=2026-01-15", /^since is "2026-01-15"; allowed: RFC 3339/],
    ["since=2026-02-30T00:00:00Z", /^since is "2026-02-30T00:00:00Z"; allowed/],
    ["since=2026-01-15T12:00:00+01:00", /; write the plus sign of its time zone as %2B\.$/],
    ["min_similarity=1.5", /^min_similarity is "1\.5"; allowed: a number from 0 to 1 with at most four/],
    ["min_similarity=0.12345", /^min_similarity is "0\.12345"; allowed/],
    ["min_similarity=.5", /^min_similarity is "\.5"; allowed/],
    ["min_similarity=1e-1", /^min_similarity is "1e-1"; allowed/],
    ["min_similarity=NaN", /^min_similarity is "NaN"; allowed/],
  ])("reject ?%s and state why", async (query, message) => {
    const { status, json } = await api.call("GET", `/v1/threats?${query}`, { key });
    expect([status, json.error.code]).toEqual([400, "bad_request"]);
    expect(json.error.message).toMatch(message);
  });

  test("return 403 to a key that is bound to another domain", async () => {
    const { status } = await api.call("GET", `/v1/threats?domain=${domains[1]}&q=a`, { key: bankKey });
    expect(status).toBe(403);
  });

  test("are counted by the rate limit once per request", async () => {
    const limited = api.key({ plan: "free" });
    const { headers } = await api.call("GET", "/v1/threats?q=a", { key: limited });
    expect(headers.get("x-ratelimit-remaining")).toBe("59");
  });
});
