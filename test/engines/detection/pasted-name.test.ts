import { describe, expect, test } from "bun:test";
import { hostIn, readPastedName } from "../../../src/engines/detection/names/pasted-name.ts";
import { cpuMs } from "../../support/cpu-time.ts";

describe("What people paste is read as the host name in it", () => {
  test.each([
    ["paypa1.com", "host_name"],
    ["  PAYPA1.com. ", "host_name"],
    ["paypa1.com..", "host_name"],
    [".paypa1.com", "host_name"],
    ["*.paypa1.com", "host_name"],
    ["paypa1[.]com", "host_name"],
    ["paypa1(.)com", "host_name"],
    ["paypa1{.}com", "host_name"],
    ["paypa1[dot]com", "host_name"],
    ["paypa1 [DOT] com", "host_name"],
    ["paypa1(dot)com", "host_name"],
    ["paypa1\\.com", "host_name"],
    ["paypa1[.com", "host_name"],
    ["paypa1.]com", "host_name"],
    ["'paypa1.com'", "host_name"],
    ["“paypa1.com”,", "host_name"],
    ["`paypa1[.]com`;", "host_name"],
    ["(paypa1.com)", "host_name"],
    ["<paypa1.com>", "host_name"],
    ["https://paypa1.com/login", "url"],
    ["HTTPS://PAYPA1.COM", "url"],
    ["<https://paypa1.com/login>", "url"],
    ['"https://paypa1.com/login?x=1#y".', "url"],
    ["hxxps://paypa1[.]com/login", "url"],
    ["hXXp://paypa1[.]com", "url"],
    ["h**ps://paypa1.com", "url"],
    ["hxxps[:]//paypa1[.]com[/]login", "url"],
    ["hxxps[://]paypa1[.]com/login", "url"],
    ["http:\\\\paypa1.com\\login", "url"],
    ["//paypa1.com/login", "url"],
    ["paypa1.com/", "url"],
    ["paypa1.com/login", "url"],
    ["paypa1.com?login", "url"],
    ["paypa1.com:8443", "url"],
    ["https://paypa1.com:8443/login", "url"],
    ["https://paypal.com@paypa1.com/", "url"],
    ["https://user:pass@paypa1.com:80/", "url"],
    ["https://paypa1%2ecom/", "url"],
    ["https://paypa1.com./login", "url"],
    ["login@paypa1.com", "email_address"],
    ["mailto:login@paypa1.com?subject=x", "email_address"],
    ["login[@]paypa1[.]com", "email_address"],
    ["login[at]paypa1[dot]com", "email_address"],
    ["login (at) paypa1 (dot) com", "email_address"],
    ['"PayPal Support" <login@paypa1.com>', "email_address"],
    ["PayPal Support <login@paypa1[.]com>,", "email_address"],
  ] as const)("%p", (text, form) => {
    expect(readPastedName(text)).toEqual({ name: "paypa1.com", form });
  });

  test.each([
    "bücher.de",
    "xn--bcher-kva.de",
    "BÜCHER。DE",
    "https://bücher.de/",
    "hxxps://xn--bcher-kva[.]de/",
    "info@bücher[.]de",
    "https://b%C3%BCcher.de/",
  ])("%p", (text) => {
    expect(readPastedName(text)).toMatchObject({ name: "xn--bcher-kva.de" });
  });
});

test.each([
  ["", "is empty"],
  ["   ", "is empty"],
  ["paypal", "is a single label, not a full name"],
  ["https://localhost/login", "has a host that is a single label, not a full name"],
  ["https:///login", "has a host that is empty"],
  ["192.0.2.7", "is an IP address, not a host name"],
  ["192[.]0[.]2[.]7", "is an IP address, not a host name"],
  ["http://192.0.2.7:8080/", "has a host that is an IP address, not a host name"],
  ["http://[2001:db8::1]:8080/", "has a host that is an IP address, not a host name"],
  ["2001:db8::1", "is an IP address, not a host name"],
  ["paypa1.com evil.com", "contains a space; enter one name per line"],
  ["https://paypa1.com/ evil.com", "contains a space; enter one name per line"],
  ["paypa1.com,evil.com", 'contains ",", which host names cannot contain'],
  ["paypa1..com", "contains an empty label"],
  ["paypa$.com", 'contains "$", which host names cannot contain'],
  ["paypa1\u0000.com", "contains a control character"],
  [`${"a".repeat(64)}.com`, "contains a label longer than 63 bytes"],
  [`https://paypa1.com/${"a".repeat(5000)}`, "is longer than 4096 characters"],
])("Input %p is rejected with a phrase that completes a sentence", (text, error) => {
  expect(readPastedName(text)).toEqual({ error });
});

test("Hostile input is read in time linear in its length", () => {
  const pieces = ["<", "[.", "(", ":", "@", " ", "[ ", ". ", "\\.", "%", "//", '"', "<a>,", "[at", "x:/"];
  const read = () => {
    for (const piece of pieces) readPastedName(piece.repeat(4_096 / piece.length));
  };
  // A quadratic step takes more than 10 ms for each of these; all of them together take less than 5 ms.
  expect(cpuMs(read)).toBeLessThan(100);
});

test("A link with a wrong host still gives its host to a search", () => {
  expect(hostIn("hxxps://paypa1[.]c")).toEqual({ host: "paypa1.c", form: "url" });
  expect(hostIn("paypa1")).toEqual({ host: "paypa1", form: "host_name" });
});
