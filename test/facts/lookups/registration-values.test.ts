import { describe, expect, test } from "bun:test";
import { completedBy } from "../../../src/facts/lookups/registration/registration-values.ts";
import {
  emailValue,
  hostNameValue,
  phoneValue,
  statusValue,
  textValue,
  timeValue,
} from "../../../src/facts/lookups/registries/registry-values.ts";

describe("times", () => {
  test.each([
    ["1997-09-15T04:00:00Z", "1997-09-15T04:00:00.000Z"],
    ["2024-01-02T03:04:05.123456789Z", "2024-01-02T03:04:05.000Z"],
    ["2018-03-12T21:44:25+01:00", "2018-03-12T20:44:25.000Z"],
    ["2018-03-12T21:44:25-0530", "2018-03-13T03:14:25.000Z"],
    ["2000-01-01 00:00:00", "2000-01-01T00:00:00.000Z"],
    ["2021-05-06 10:00:00 UTC", "2021-05-06T10:00:00.000Z"],
    ["2000.01.01 13:00:00", "2000-01-01T13:00:00.000Z"],
    ["2001/08/22", "2001-08-22T00:00:00.000Z"],
    ["2024/09/01 01:05:05 (JST)", "2024-08-31T16:05:05.000Z"],
    ["20000101 #123", "2000-01-01T00:00:00.000Z"],
    ["2000-Jan-01.", "2000-01-01T00:00:00.000Z"],
    ["01-Jan-2020", "2020-01-01T00:00:00.000Z"],
    ["1.1.2000 12:00:00", "2000-01-01T12:00:00.000Z"],
    ["23/04/2020", "2020-04-23T00:00:00.000Z"],
    ["Tue Nov 21 10:22:00 GMT 2017", "2017-11-21T10:22:00.000Z"],
    ["January 2 2006", "2006-01-02T00:00:00.000Z"],
  ])("%s is converted to ISO 8601 in UTC", (text, expected) => {
    expect(timeValue(text)).toBe(expected);
  });
});

describe("invalid times", () => {
  test.each([
    "",
    "before Aug-1996",
    "03/04/2020",
    "2020-02-31",
    "2020-13-01",
    "0000-00-00",
    "9999-99-99",
    "1066-10-14",
    "never",
    "x".repeat(5_000),
    20200101,
    null,
    {},
  ])("%p is not a time", (value) => {
    expect(timeValue(value)).toBeUndefined();
  });
});

test("a status is converted to EPP's spelling", () => {
  const spellings = [
    "client transfer prohibited",
    "clientTransferProhibited https://icann.org/epp#clientTransferProhibited",
  ];
  for (const spelling of spellings) expect(statusValue(spelling)).toBe("clientTransferProhibited");
  expect(["ACTIVE", "ok", "<b>", "", 4].map(statusValue)).toEqual([
    "active",
    "ok",
    undefined,
    undefined,
    undefined,
  ]);
});

test("redacted values count as unknown", () => {
  for (const text of [
    "REDACTED FOR PRIVACY",
    "Data Protected",
    "GDPR Masked",
    "n/a",
    "-",
    " ",
    "Not Disclosed",
    "Statutory Masking Enabled",
  ])
    expect([text, textValue(text)]).toEqual([text, undefined]);
  expect(textValue("Domains By Proxy, LLC")).toBe("Domains By Proxy, LLC");
});

test("invalid contacts are dropped", () => {
  expect(emailValue("mailto:Abuse@Reg.example")).toBe("abuse@reg.example");
  expect(["a@b", "a b@c.de", "a@b.c\nx", "<a@b.de>", "https://x.example/form"].map(emailValue)).toEqual(
    Array(5).fill(undefined),
  );
  expect(phoneValue("tel:+1.480-624-2505;ext=12")).toBe("+1.480-624-2505;ext=12");
  expect(["call me", "tel:", "+", "1234567890".repeat(9)].map(phoneValue)).toEqual(Array(4).fill(undefined));
  expect(hostNameValue("NS1.B\u00fccher.example.")).toBe("ns1.xn--bcher-kva.example");
  expect(["", "ns1 example", "ns1.example/x", "1.2.3.4", ".".repeat(100_000)].map(hostNameValue)).toEqual(
    Array(5).fill(undefined),
  );
});

test("a second response fills in only what the first one lacks", () => {
  const first = { registrar: "A", name_servers: [], status: ["ok"] };
  const second = {
    registrar: "B",
    name_servers: ["ns1.example"],
    status: ["hold"],
    registrant_country: "IS",
  };
  expect(completedBy(first, second)).toEqual({
    registrar: "A",
    name_servers: ["ns1.example"],
    status: ["ok"],
    registrant_country: "IS",
  });
});
