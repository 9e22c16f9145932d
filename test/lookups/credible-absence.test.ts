import { expect, test } from "bun:test";
import { withCredibleAbsence } from "../../src/lookups/dns/credible-absence.ts";
import type { Existence } from "../../src/lookups/dns/existence.ts";
import type { DnsAnswer } from "../../src/network/dns/dns-client.ts";

const absent: Existence = { exists: "no", addresses: [], mailServers: [], nameServers: [], wildcard: false };
const known: DnsAnswer = { outcome: "answer", records: [] };

function lookUpWith(answers: DnsAnswer[], existence = absent) {
  const asked: string[] = [];
  const lookUp = withCredibleAbsence({
    dns: {
      query: async (name, type) => {
        asked.push(`${name} ${type}`);
        return answers[asked.length - 1]!;
      },
    },
    lookUp: async () => existence,
  });
  return { asked, lookUp };
}

test("a name stays unknown while its resolver denies com as well", async () => {
  const { asked, lookUp } = lookUpWith([
    { outcome: "nxdomain" },
    { outcome: "unknown", reason: "timeout" },
    known,
  ]);
  expect(await lookUp("a.com")).toMatchObject({ exists: "unknown", reason: expect.stringContaining("com") });
  expect(await lookUp("a.com")).toMatchObject({ exists: "unknown" });
  expect(await lookUp("a.com")).toEqual(absent);
  expect(await lookUp("b.com")).toEqual(absent);
  expect(asked).toEqual(["com NS", "com NS", "com NS"]);
});

test("a name that exists needs no further query", async () => {
  const present: Existence = { ...absent, exists: "yes", addresses: ["192.0.2.1"] };
  const { asked, lookUp } = lookUpWith([], present);
  expect(await lookUp("a.com")).toEqual(present);
  expect(asked).toEqual([]);
});
