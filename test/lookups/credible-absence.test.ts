import { expect, test } from "bun:test";
import { withCredibleAbsence } from "../../src/lookups/dns/credible-absence.ts";
import type { Existence } from "../../src/lookups/dns/existence.ts";
import type { DnsAnswer } from "../../src/network/dns/dns-client.ts";

const absent: Existence = { exists: "no", addresses: [], mailServers: [], nameServers: [], wildcard: false };
const known: DnsAnswer = { outcome: "answer", records: [] };

function lookUpWith(responses: DnsAnswer[], existence = absent) {
  const queries: string[] = [];
  const lookUp = withCredibleAbsence({
    dns: {
      query: async (name, type) => {
        queries.push(`${name} ${type}`);
        return responses[queries.length - 1]!;
      },
    },
    lookUp: async () => existence,
  });
  return { queries, lookUp };
}

test("a name stays unknown while its resolver denies com as well", async () => {
  const { queries, lookUp } = lookUpWith([
    { outcome: "nxdomain" },
    { outcome: "unknown", reason: "timeout" },
    known,
  ]);
  expect(await lookUp("a.com")).toMatchObject({ exists: "unknown", reason: expect.stringContaining("com") });
  expect(await lookUp("a.com")).toMatchObject({ exists: "unknown" });
  expect(await lookUp("a.com")).toEqual(absent);
  expect(await lookUp("b.com")).toEqual(absent);
  expect(queries).toEqual(["com NS", "com NS", "com NS"]);
});

test("a name that exists needs no further query", async () => {
  const present: Existence = { ...absent, exists: "yes", addresses: ["192.0.2.1"] };
  const { queries, lookUp } = lookUpWith([], present);
  expect(await lookUp("a.com")).toEqual(present);
  expect(queries).toEqual([]);
});
