import { describe, expect, test } from "bun:test";
import { readRdap } from "../../../src/facts/lookups/registration/registration-lookup.ts";
import { full, notFound, thin } from "./rdap-texts.ts";

const domain = "example-banc.com";
const related = "https://rdap.cheap-names.example/domain/EXAMPLE-BANC.COM";
const thinFacts = {
  source: "rdap",
  registrar: "Cheap Names, Inc.",
  registrar_iana_id: "4711",
  created_at: "2026-02-10T09:30:00.000Z",
  updated_at: "2026-02-11T10:00:02.000Z",
  expires_at: "2027-02-10T09:30:00.000Z",
  name_servers: ["ns1.cheap-dns.example", "ns2.cheap-dns.example"],
  status: ["clientDeleteProhibited", "clientTransferProhibited", "active"],
  dnssec: false,
  abuse_email: "abuse@cheap-names.example",
  abuse_phone: "+1.5555550100",
} as const;

function read(json: unknown) {
  return readRdap(JSON.stringify(json), domain);
}

test("a registry's response yields facts and the URL of the registrar's RDAP service, not of its website", () => {
  expect(read(thin(related))).toEqual({
    kind: "registered",
    registration: { ...thinFacts, status: [...thinFacts.status], name_servers: [...thinFacts.name_servers] },
    related,
  });
});

test("a registrar's response adds the registrant's organization and country, but no redacted values", () => {
  const reading = read(full());
  expect(reading).toMatchObject({
    kind: "registered",
    registration: {
      registrant_organization: "Harbour Holdings Ltd",
      registrant_country: "IS",
      expires_at: thinFacts.expires_at,
    },
  });
  expect(JSON.stringify(reading)).not.toContain("REDACTED");
  expect(JSON.stringify(reading)).not.toContain("elsewhere.example");
});

test("a U-label name is converted to its A-label form", () => {
  const reading = readRdap(
    JSON.stringify({ objectClassName: "domain", unicodeName: "b\u00fccher.example" }),
    "xn--bcher-kva.example",
  );
  expect(reading.kind).toBe("registered");
});

describe("RDAP responses that are rejected", () => {
  test.each([
    ["HTML", "<!doctype html><title>Not JSON</title>", "HTML instead of JSON"],
    ["an empty body", "", "not JSON"],
    ["cut JSON", JSON.stringify(thin(related)).slice(0, 300), "not JSON"],
    ["an array", "[]", "not a JSON object"],
    ["null", "null", "not a JSON object"],
    ["a number", "4", "not a JSON object"],
    [
      "another name",
      JSON.stringify({ ...thin(related), ldhName: "other.example" }),
      "response is about another name",
    ],
    ["no name", JSON.stringify({ objectClassName: "domain" }), "not a domain object"],
    ["an invalid name", JSON.stringify({ ldhName: { a: 1 } }), "not a domain object"],
    ["deeply nested arrays", "[".repeat(200_000) + "]".repeat(200_000), undefined],
  ])("%s is not read as a domain object", (_what, body, reason) => {
    const reading = readRdap(body, domain);
    expect(reading.kind).toBe("unreadable");
    if (reason !== undefined) expect(reading).toEqual({ kind: "unreadable", reason });
  });

  test("an error object is recognized", () => {
    const kind = "unreadable";
    expect(read(notFound)).toEqual({ kind, reason: "RDAP error 404 Not Found", errorCode: 404 });
    expect(read({ errorCode: "<script>", title: 7 })).toEqual({ kind, reason: "RDAP error" });
  });
});

test("a member of a wrong type is ignored, and the others are read", () => {
  const wrong: unknown[] = [
    null,
    0,
    "x",
    true,
    [],
    {},
    [[]],
    [null],
    [{}],
    [["a"]],
    { a: [] },
    ["vcard"],
    ["vcard", {}],
    ["vcard", [[]]],
    ["vcard", [["fn"], ["adr", 1, 2, 3], ["org", {}, "text", [[[]]]]]],
    -1e308,
  ];
  const original = thin(related);
  for (const key of Object.keys(original).filter((name) => name !== "ldhName")) {
    for (const value of wrong) {
      const reading = read({ ...original, [key]: value });
      expect([key, value, reading.kind]).toEqual([key, value, "registered"]);
      expect((reading as { registration: { abuse_email?: string } }).registration.abuse_email).toBe(
        key === "entities" ? undefined! : thinFacts.abuse_email,
      );
    }
  }
  for (const value of wrong) {
    const entity = { roles: ["registrar"], publicIds: value, vcardArray: value, entities: value };
    for (const entities of [[entity], [value, entity], [{ roles: value }]])
      expect(read({ ...original, entities }).kind).toBe("registered");
    expect(read({ ...original, events: [value, { eventAction: value, eventDate: value }] }).kind).toBe(
      "registered",
    );
  }
});

test("only a bounded part of an oversized response is read", () => {
  const many = 20_000;
  const original = thin(related);
  const reading = read({
    ...original,
    nameservers: Array.from({ length: many }, (_, index) => ({ ldhName: `ns${index}.example` })),
    status: Array.from(
      { length: many },
      (_, index) => `status ${String.fromCharCode(97 + (index % 26))}${"x".repeat(index % 20)}`,
    ),
    events: Array.from({ length: many }, () => ({ eventAction: "registration", eventDate: "x" })),
    entities: Array.from({ length: many }, () => ({ roles: ["abuse"], entities: original.entities })),
  });
  const { registration } = reading as Extract<typeof reading, { kind: "registered" }>;
  expect(registration.name_servers).toHaveLength(32);
  expect(registration.status!.length).toBeLessThanOrEqual(32);
}, 20_000);

test("an abuse contact that a registrant lists does not count as the registrar's", () => {
  const original = full();
  const registrant = original.entities[0]!;
  const own = {
    roles: ["abuse"],
    vcardArray: ["vcard", [["email", {}, "text", "no-abuse@phisher.example"]]],
  };
  const entities = [{ ...registrant, entities: [own] }, ...original.entities.slice(1)];
  expect(read({ ...original, entities })).toMatchObject({
    registration: { abuse_email: thinFacts.abuse_email },
  });
});

test("hidden and executable content in names and addresses is escaped", () => {
  const vcardArray = [
    "vcard",
    [
      ["fn", {}, "text", "Cheap\u202e\u001b[31m Names"],
      ["email", {}, "text", "a@b.example\r\nBcc: c"],
      ["tel", {}, "uri", "javascript:alert(1)"],
    ],
  ];
  const reading = read({
    ...thin("javascript:alert(1)"),
    entities: [{ roles: ["registrar"], vcardArray, entities: [{ roles: ["abuse"], vcardArray }] }],
    nameservers: [{ ldhName: "ns1.example\u202e" }, { ldhName: "../../x" }],
  });
  expect(reading).toMatchObject({
    related: undefined,
    registration: { registrar: "Cheap\\u{202e}\\u{1b}[31m Names" },
  });
  const { registration } = reading as Extract<typeof reading, { kind: "registered" }>;
  expect(registration).not.toHaveProperty("abuse_email");
  expect(registration).not.toHaveProperty("abuse_phone");
  expect(registration).not.toHaveProperty("name_servers");
});
