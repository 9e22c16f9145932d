import { expect, test } from "bun:test";
import { parseNameQuery } from "../../../src/threats/index/columns/name-query.ts";

test.each([
  ["  PayPal ", { text: "paypal", startsWith: false }],
  ["pay*", { text: "pay", startsWith: true }],
  ["https://user@Login-Example.com:8443/path?q", { text: "login-example.com", startsWith: false }],
  ["paypa1[.]com", { text: "paypa1.com", startsWith: false }],
  ["hxxps://paypa1[.]com/login", { text: "paypa1.com", startsWith: false }],
  ["login@paypa1.com", { text: "paypa1.com", startsWith: false }],
  ["paypa1.com/login", { text: "paypa1.com", startsWith: false }],
  ["<paypa1.com>", { text: "paypa1.com", startsWith: false }],
  ["*", undefined],
  ["", undefined],
])("the input %j is parsed as %j", (input, expected) => {
  expect(parseNameQuery(input)).toEqual(expected);
});
