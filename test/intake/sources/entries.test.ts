/** Names, links and addresses as people enter them and lists contain them. */
import { describe, expect, test } from "bun:test";
import { openNameList } from "../../../src/intake/sources/name-files/name-list.ts";
import { readEntries } from "../../../src/intake/sources/entries/entry.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { randomFrom, seed } from "../../support/random.ts";

console.error(`seed ${seed}`);

/** Writes what was read as `form name url`. */
function read(text: string): string[] {
  const reading = readEntries(text);
  if ("entries" in reading)
    return reading.entries.map(({ form, name, url }) =>
      [form, name, ...(url === undefined ? [] : [url])].join(" "),
    );
  return ["skipped" in reading ? `skipped ${reading.skipped}` : `! ${reading.error}`];
}

describe("One line", () => {
  const login = "url paypa1.com https://paypa1.com/login";
  test.each<[string, ...string[]]>([
    ["paypa1.com", "host_name paypa1.com"],
    ["hxxps://paypa1[.]com/login", login],
    ["hxxps[://]paypa1[.]com/login", login],
    ["\u202ahttps://paypa1.com/login\u202c", login],
    ["\ufeffhttps://paypa1.com/login", login],
    ["<https://paypa1.com/login>.", login],
    ["(see https://paypa1.com/login).", login],
    ["[Sign in](https://paypa1.com/login)", login],
    ["* https://paypa1.com/login", login],
    ['="https://paypa1.com/login"', login],
    ["https://paypa1.com/login…", login],
    ["paypa1.com:8443", "url paypa1.com http://paypa1.com:8443/"],
    ["https://paypal.com@paypa1.com:8443/a", "url paypa1.com https://paypal.com@paypa1.com:8443/a"],
    ["https://xn--pypal-4ve.com/ä", "url xn--pypal-4ve.com https://xn--pypal-4ve.com/%C3%A4"],
    ["https://pаypal.com/", "url xn--pypal-4ve.com https://xn--pypal-4ve.com/"],
    ["PayPal <login@paypa1.com>", "email_address paypa1.com"],
    ["login (at) paypa1 (dot) com", "email_address paypa1.com"],
    ["http://192.0.2.7/login", "skipped ip_address"],
    ["http://[2001:db8::1]:8080/", "skipped ip_address"],
    ["192.0.2.7", "! is an IP address, not a host name"],
    ["https://a.com/?next=https://b.com/", "url a.com https://a.com/?next=https://b.com/"],
    ["https://a.com/x,y;z", "url a.com https://a.com/x,y;z"],
    ["not a name", "! contains a space; enter one name per line"],
    ["pay pal.com", "! contains a space; enter one name per line"],
    // Several of them.
    ["a.com b.com", "host_name a.com", "host_name b.com"],
    ["a.com, b.com; c.com|d.com", "host_name a.com", "host_name b.com", "host_name c.com", "host_name d.com"],
    ["https://a.com/x,https://b.com/y", "url a.com https://a.com/x", "url b.com https://b.com/y"],
    ["A <x@a.com>, B <y@b.com>", "email_address a.com", "email_address b.com"],
    ["[https://a.com](https://b.com/x)", "url a.com https://a.com/", "url b.com https://b.com/x"],
    ["http://192.0.2.7/ https://a.com/", "url a.com https://a.com/"],
    ["https://a.com/ and https://a.com/", "url a.com https://a.com/"],
    ["www.a.com and b[.]com, not c.com", "host_name www.a.com", "host_name b.com"],
    ["Please check https://paypa1[.]com/login, it came from x@evil.com.", login, "email_address evil.com"],
  ])("%p is read as it is meant", (text, ...expected) => {
    expect(read(text)).toEqual(expected);
  });

  test.each([
    "https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fpaypa1.com%2Flogin%3Fa%3D1&data=05%7C01",
    "https://urldefense.proofpoint.com/v1/url?u=https://paypa1.com/login?a%3D1&k=x",
    "https://urldefense.proofpoint.com/v2/url?u=https-3A__paypa1.com_login-3Fa-3D1&d=DwMFaQ",
    "https://urldefense.com/v3/__https://paypa1.com/login?a*1__;PQ!!ABC!x$",
    "https://urldefense.com/v3/__https:/paypa1.com/login**B1__;P2E9!!ABC!x$",
    "https://www.google.com/url?q=https://paypa1.com/login?a%3D1&sa=D",
    "https://www.google.co.uk/url?sa=t&url=https%3A%2F%2Fpaypa1.com%2Flogin%3Fa%3D1",
    "https://www.google.com/amp/s/paypa1.com/login?a=1",
    "https://linkprotect.cudasvc.com/url?a=https%3a%2f%2fpaypa1.com%2flogin%3fa%3d1&c=E,1",
    "https://secure-web.cisco.com/1abc-x/https%3A%2F%2Fpaypa1.com%2Flogin%3Fa%3D1",
    "https://imsva91-ctp.trendmicro.com:443/wis/clicktime/v1/query?url=https%3A%2F%2Fpaypa1.com%2Flogin%3Fa%3D1&u=x",
    "https://clicktime.symantec.com/15siK?h=x&u=https://paypa1.com/login?a%3D1",
    "https://protect2.fireeye.com/v1/url?k=1&q=1&u=https%3A%2F%2Fpaypa1.com%2Flogin%3Fa%3D1",
    `https://eu-west-1.protection.sophos.com/?d=paypa1.com&u=${btoa("https://paypa1.com/login?a=1")}`,
    "https://url.avanan.click/v2/___https://paypa1.com/login?a=1___.YXAz",
    "https://l.facebook.com/l.php?u=https%3A%2F%2Fpaypa1.com%2Flogin%3Fa%3D1&h=x",
    "https://www.linkedin.com/redir/redirect?url=https%3A%2F%2Fpaypa1%2Ecom%2Flogin%3Fa%3D1",
    "https://paypa1-com.translate.goog/login?a=1&_x_tr_sl=auto&_x_tr_tl=en",
    `https://www.bing.com/ck/a?!&&p=1&u=a1${Buffer.from("https://paypa1.com/login?a=1").toString("base64url")}`,
    `https://nam02.safelinks.protection.outlook.com/?url=${encodeURIComponent("https://urldefense.com/v3/__https://paypa1.com/login?a=1__;!!A!b$")}`,
  ])("the rewritten link %p is read as the one inside it, also in a list", async (link) => {
    expect(read(link)).toEqual(["url paypa1.com https://paypa1.com/login?a=1"]);
    // A list reads the hosts of plain links by their bytes, and must leave these as they are.
    const content = new Response(`https://example.org/?a=1\n${link}\n`).body!;
    const list = await openNameList("list", { stream: content, format: "lines" });
    const names: string[] = [];
    for await (const { count, name } of list.batches()) for (let i = 0; i < count; i++) names.push(name(i));
    expect(names).toEqual(["example.org", link]);
  });

  test("a gateway that names only the host gives the host, and its other pages stay what they are", () => {
    expect(read("https://protect-eu.mimecast.com/s/abc?domain=paypa1.com")).toEqual(["host_name paypa1.com"]);
    for (const link of ["https://www.google.com/search?q=paypal", "https://www.mimecast.com/products"])
      expect(read(link)[0]).toEndWith(link);
  });
});

test("a word or an address without a link is rejected for the same reason as one in quotes", () => {
  const labels = ["a", "localhost", "-", "x_y", "7", "192", "0x7f", "A".repeat(64), "b".repeat(300)];
  const random = randomFrom(seed);
  for (let round = 0; round < 300; round++) {
    const text = Array.from({ length: 1 + random(20) }, () => labels[random(labels.length)]).join(".");
    expect([text, ...read(text)]).toEqual([text, ...read(`"${text}"`)]);
  }
});

test("any text is read as valid names or one reason, in time linear in its length", () => {
  const random = randomFrom(seed);
  const pieces = (
    "https:// hxxps:// h**p:// [:]// [.] (dot) [at] @ . , ; | < > ( ) [ ] ]( \" ' ` \\. % %2e %ff = ? & # / \\ : :80 " +
    "paypa1.com a b-c xn-- xn--pypal-4ve.com www. 192.0.2.7 mailto: example@evil.org ../ __ ;!! * ** -3A " +
    "https://urldefense.com/v3/__ https://a.safelinks.protection.outlook.com/?url= https://www.google.com/url?q="
  )
    .split(" ")
    .concat([" ", "\t", "\u202e", "\ue000", "\ue001", "\0", "ä", "。", "😀", "\ud800"]);
  for (let round = 0; round < 4_000; round++) {
    const text = Array.from({ length: 1 + random(12) }, () => pieces[random(pieces.length)]).join("");
    const reading = readEntries(text);
    if (!("entries" in reading))
      expect([text, reading.error]).toEqual([text, expect.stringMatching(/^[a-z]/)]);
    else
      for (const { name, url } of reading.entries) {
        expect([text, name]).toEqual([text, expect.stringMatching(/^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/)]);
        if (url !== undefined) expect([text, URL.canParse(url)]).toEqual([text, true]);
      }
  }
  const repeated = pieces.concat(["https://a.com,", "<a@b.com>,", "a.com ", "(.", "[https://a.com]("]);
  // A quadratic step takes seconds for one of these; all of them together take less than 150 ms.
  expect(
    cpuMs(() => {
      for (const piece of repeated) readEntries(piece.repeat(16_384 / piece.length));
    }),
  ).toBeLessThan(2_000);
});
