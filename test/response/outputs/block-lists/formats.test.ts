import { expect, test } from "bun:test";
import { createYielder } from "../../../../src/platform/lib/yielder.ts";
import { contentTypeOf, renderList } from "../../../../src/response/outputs/block-lists/formats.ts";
import {
  combine,
  type ListContent,
  type ListedName,
} from "../../../../src/response/outputs/block-lists/list.ts";
import { blockListFormats, type BlockListFormat } from "../../../../src/platform/vocabulary/lists.ts";

const changedAt = Date.UTC(2026, 0, 15, 12);

function listed(name: string): ListedName {
  const facts = { type: "typosquatting", severity: "high", firstSeen: changedAt } as const;
  return combine(name, [{ seq: 1, protectedDomain: "example-bank.com", ...facts }]);
}

async function rendered(format: BlockListFormat, names: readonly string[], allowed: readonly string[] = []) {
  const content: ListContent = { rows: names.map(listed), allowed, digest: "", changedAt };
  // Every step pauses.
  const yielder = createYielder({ sliceMs: 0, elapsedMs: () => 1 });
  return Buffer.from(await renderList(format, { name: "block", content }, yielder)).toString();
}

const comment = (mark: string, names: number) =>
  `${mark} Title: phishwatch block\n${mark} Last modified: 2026-01-15T12:00:00.000Z\n${mark} Names: ${names}\n`;
const zone =
  "$TTL 60\n@ IN SOA localhost. hostmaster.localhost. 1768478400 60 60 604800 60\n@ IN NS localhost.\n";

const expected: Record<BlockListFormat, { empty: string; two: string; exception: string }> = {
  txt: { empty: "", two: "a.com\nb.pages.dev\n", exception: "b.pages.dev\n" },
  hosts: {
    empty: comment("#", 0),
    two: `${comment("#", 2)}0.0.0.0 a.com\n0.0.0.0 b.pages.dev\n`,
    exception: `${comment("#", 2)}0.0.0.0 a.com\n0.0.0.0 b.pages.dev\n`,
  },
  adblock: {
    empty: `${comment("!", 0)}! Expires: 1 hours\n`,
    two: `${comment("!", 2)}! Expires: 1 hours\n||a.com^\n||b.pages.dev^\n`,
    exception: `${comment("!", 2)}! Expires: 1 hours\n||a.com^\n||b.pages.dev^\n@@||ok.a.com^\n`,
  },
  dnsmasq: {
    empty: comment("#", 0),
    two: `${comment("#", 2)}address=/a.com/\naddress=/b.pages.dev/\n`,
    exception: `${comment("#", 2)}address=/a.com/\naddress=/b.pages.dev/\nserver=/ok.a.com/#\n`,
  },
  unbound: {
    empty: `${comment("#", 0)}server:\n`,
    two: `${comment("#", 2)}server:\nlocal-zone: "a.com." always_nxdomain\nlocal-zone: "b.pages.dev." always_nxdomain\n`,
    exception: `${comment("#", 2)}server:\nlocal-zone: "a.com." always_nxdomain\nlocal-zone: "b.pages.dev." always_nxdomain\nlocal-zone: "ok.a.com." always_transparent\n`,
  },
  rpz: {
    empty: `${comment(";", 0)}${zone}`,
    two: `${comment(";", 2)}${zone}a.com CNAME .\n*.a.com CNAME .\nb.pages.dev CNAME .\n*.b.pages.dev CNAME .\n`,
    exception: `${comment(";", 2)}${zone}a.com CNAME .\n*.a.com CNAME .\nb.pages.dev CNAME .\n*.b.pages.dev CNAME .\nok.a.com CNAME rpz-passthru.\n*.ok.a.com CNAME rpz-passthru.\n`,
  },
  squid: {
    empty: comment("#", 0),
    two: `${comment("#", 2)}.a.com\n.b.pages.dev\n`,
    exception: `${comment("#", 1)}.b.pages.dev\n`,
  },
  csv: {
    empty: "name,protected_domain,type,severity,first_seen\r\n",
    two: "name,protected_domain,type,severity,first_seen\r\na.com,example-bank.com,typosquatting,high,2026-01-15T12:00:00.000Z\r\nb.pages.dev,example-bank.com,typosquatting,high,2026-01-15T12:00:00.000Z\r\n",
    exception:
      "name,protected_domain,type,severity,first_seen\r\nb.pages.dev,example-bank.com,typosquatting,high,2026-01-15T12:00:00.000Z\r\n",
  },
};

for (const format of blockListFormats) {
  test(`${format}: an empty list, a list, and a list with an allowed name below a listed one are rendered`, async () => {
    const names = ["a.com", "b.pages.dev"];
    expect(await rendered(format, [])).toBe(expected[format].empty);
    expect(await rendered(format, names)).toBe(expected[format].two);
    expect(await rendered(format, names, ["ok.a.com"])).toBe(expected[format].exception);
    expect(contentTypeOf(format)).toStartWith(format === "csv" ? "text/csv" : "text/plain");
  });
}

test("rpz: names between a listed name and a deeper line are blocked, except those below an allowed one", async () => {
  const text = await rendered("rpz", ["a.com", "x.y.z.a.com"], ["ok.a.com", "1.2.ok.a.com", "ok.b.a.com"]);
  for (const name of ["a.com", "x.y.z.a.com", "y.z.a.com", "z.a.com", "b.a.com"])
    expect(text).toContain(`\n${name} CNAME .\n*.${name} CNAME .\n`);
  for (const name of ["ok.a.com", "1.2.ok.a.com", "ok.b.a.com"])
    expect(text).toContain(`\n${name} CNAME rpz-passthru.\n*.${name} CNAME rpz-passthru.\n`);
  expect(text).not.toContain("2.ok.a.com CNAME .");
  expect(text).not.toMatch(/^com CNAME/m);
});

test("rpz: a name that is too long for a zone is left out, and so is a name above an allowed one that is", async () => {
  const long = `${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}`;
  const text = await rendered("rpz", ["a.com", `${long}.a.com`, "b.com", "c.com"], [`${long}.b.com`]);
  expect(text).toContain("\na.com CNAME .\n");
  expect(text).toContain("\nc.com CNAME .\n");
  expect(text).toContain("; Names: 2\n");
  expect(text).not.toContain("b.com");
  expect(text).not.toContain("aaa");
});

test("squid: a name below a listed one is left out, which Squid warns about, unless that one is left out", async () => {
  const names = ["a.com", "login.a.com", "x.y.a.com", "b.com", "login.b.com"];
  expect(await rendered("squid", names, ["ok.b.com"])).toBe(`${comment("#", 2)}.a.com\n.login.b.com\n`);
});

test("csv: a cell that a spreadsheet would execute is made safe", async () => {
  expect(await rendered("csv", ["-a.com"])).toContain("\r\n'-a.com,");
});

test("a name that is a threat to two domains is listed once, with the higher severity and the earlier time", () => {
  expect(
    combine("a.com", [
      { seq: 1, protectedDomain: "b.org", type: "combosquatting", severity: "medium", firstSeen: 5 },
      { seq: 2, protectedDomain: "a.org", type: "homograph", severity: "high", firstSeen: 9 },
    ]),
  ).toEqual({
    name: "a.com",
    protectedDomains: ["a.org", "b.org"],
    type: "homograph",
    severity: "high",
    firstSeen: 5,
  });
});
