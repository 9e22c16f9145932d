import { describe, expect, test } from "bun:test";
import { encodePunycode } from "../../src/detection/names/punycode.ts";
import { judgeReport } from "../../src/traps/judge.ts";
import { classifyPlace, decodeTranslated, placeOf } from "../../src/traps/places.ts";
import type { PlaceClass } from "../../src/vocabulary/traps.ts";

const own = ["example.com", "xn--mnchen-3ya.de", "203.0.113.7"];

function classOf(address: string): string {
  const place = placeOf(address);
  return place === undefined ? "no address" : classifyPlace(place, own).class;
}

const rows: [address: string, PlaceClass | "no address", host?: string][] = [
  // The owner's
  ["https://example.com/", "own"],
  ["https://www.example.com/login?a=b#c", "own"],
  ["http://example.com:8443/", "own"],
  ["https://example.com./", "own", "example.com"],
  ["https://EXAMPLE.Com/", "own", "example.com"],
  ["https://user:pass@example.com/", "own"],
  ["https://münchen.de/", "own", "xn--mnchen-3ya.de"],
  ["https://MÜNCHEN.de/", "own"],
  ["https://www.xn--mnchen-3ya.de/", "own"],
  ["https://ｅｘａｍｐｌｅ.com/", "own", "example.com"],
  ["https://example。com/", "own", "example.com"],
  ["http://203.0.113.7/", "own"],
  ["http://0xcb.0.113.7/", "own", "203.0.113.7"],
  ["blob:https://example.com/9115d58c", "own"],
  // Nearly the owner's
  ["https://evil-example.com/", "foreign"],
  ["https://evilexample.com/", "foreign"],
  ["https://example.com.evil.top/", "foreign", "example.com.evil.top"],
  ["https://example.com.evil.top./", "foreign", "example.com.evil.top"],
  ["https://example.co/", "foreign"],
  ["https://com/", "local_network"],
  ["https://example.com@evil.top/", "foreign", "evil.top"],
  ["https://example.com:x@evil.top:8080/example.com", "foreign", "evil.top"],
  ["https://evil.top/?https://example.com/", "foreign", "evil.top"],
  ["https://evil.top\\@example.com/", "foreign", "evil.top"],
  ["https://xn--exmple-cua.com/", "foreign", "xn--exmple-cua.com"],
  ["https://exämple.com/", "foreign", "xn--exmple-cua.com"],
  ["blob:https://evil.top/9115d58c", "foreign", "evil.top"],
  ["http://203.0.113.70/", "local_network"],
  ["http://8.8.8.8/", "foreign", "8.8.8.8"],
  ["http://134744072/", "foreign", "8.8.8.8"],
  ["http://[2606:4700::1111]:8080/", "foreign", "2606:4700::1111"],
  // Where it is no alarm
  ["http://localhost:3000/", "local_network"],
  ["http://app.localhost/", "local_network"],
  ["http://localhost./", "local_network"],
  ["http://127.0.0.1/", "local_network"],
  ["http://[::1]/", "local_network"],
  ["http://[::ffff:10.0.0.1]/", "local_network"],
  ["http://192.168.1.7/", "local_network"],
  ["http://intranet/", "local_network"],
  ["http://wiki.corp/", "local_network"],
  ["http://nas.local/", "local_network"],
  ["file:///home/me/page.html", "local_file"],
  ["FILE:///C:/page.html", "local_file"],
  ["data:text/html,hello", "no_host"],
  ["about:blank", "no_host"],
  ["about:srcdoc", "no_host"],
  ["blob:null/9115d58c", "no_host"],
  ["chrome-extension://abcdefgh/page.html", "no_host"],
  ["https://www-example-com.translate.goog/?_x_tr_sl=en", "translation_proxy"],
  ["https://example-com.translate.goog./", "translation_proxy"],
  ["https://web.archive.org/web/2026/https://example.com/", "web_archive"],
  ["https://archive.ph/abc", "web_archive"],
  ["https://webcache.googleusercontent.com/search?q=cache:x", "search_cache"],
  ["https://www-example-com.cdn.ampproject.org/c/s/x", "search_cache"],
  // Where it is one although it seems none
  ["https://www-evil-top.translate.goog/", "foreign", "www.evil.top"],
  ["https://evil--example-com.translate.goog/", "foreign", "evil-example.com"],
  ["https://eviltranslate.goog/", "foreign"],
  ["https://translate.goog.evil.top/", "foreign"],
  ["https://evil.googleusercontent.com/", "foreign"],
  ["https://notarchive.ph/", "foreign"],
  ["http://127.0.0.1.evil.top/", "foreign"],
  ["http://localhost.evil.top/", "foreign"],
  // What is no address
  ["null", "no address"],
  ["", "no address"],
  ["example.com", "no address"],
  ["//example.com/", "no address"],
  ["https://", "no address"],
  ["https://exa mple.com/", "no address"],
  ["https://exam\tple.com/", "no address"],
  ["https://example.com\n", "no address"],
  ["\u0000https://example.com/", "no address"],
  ["https://example.com\u007f/", "no address"],
  [`https://${"a.".repeat(200)}com/`, "no address"],
];

describe("a page shown at", () => {
  const whole = rows.map(([address, expected, host]) => [address, expected, host ?? null] as const);
  test.each(whole)("%j is %s", (address, expected, host) => {
    expect(classOf(address)).toBe(expected);
    if (host !== null) expect(classifyPlace(placeOf(address)!, own).host).toBe(host);
  });

  test("a very long address is judged by its host", () => {
    expect(classOf(`https://evil.top/${"a".repeat(100_000)}`)).toBe("foreign");
  });
});

test.each([
  ["www-example-com.translate.goog", "www.example.com"],
  ["www-example--bank-com.translate.goog", "www.example-bank.com"],
  ["a--b--c-d.translate.goog", "a-b-c.d"],
  [`xn--${encodePunycode("münchen-de")}.translate.goog`, "xn--mnchen-3ya.de"],
  ["0-xn----com-0.translate.goog", undefined],
  ["example.translate.goog", undefined],
  ["a.b.translate.goog", undefined],
  ["translate.goog", undefined],
] as const)("the original of %s is %p", (host, original) => {
  expect(decodeTranslated(host)).toBe(original as string);
});

describe("whose word counts", () => {
  const script = (url: string, referrer = "") => ({ url, referrer });
  const judge = (report: Partial<Parameters<typeof judgeReport>[0]>) =>
    judgeReport({ script: null, referer: null, origin: null, ...report }, own);

  test("the script's, in full, where the browser agrees or says nothing", () => {
    const url = "https://evil.top/login?x=1";
    const whole = { class: "foreign", host: "evil.top", url, claimedUrl: null } as const;
    expect(judge({ script: script(url, "https://search.test/"), referer: "https://evil.top/" })).toEqual({
      ...whole,
      referrer: "https://search.test/",
    });
    expect(judge({ script: script(url) })).toEqual({ ...whole, referrer: null });
    expect(judge({ script: script(url), referer: "null", origin: "null" })).toEqual({
      ...whole,
      referrer: null,
    });
  });

  test("the browser's where the script was made to lie; what it said is kept", () => {
    const lie = script("https://example.com/");
    expect(judge({ script: lie, referer: "https://evil.top/" })).toMatchObject({
      class: "foreign",
      host: "evil.top",
      url: "https://evil.top/",
      claimedUrl: "https://example.com/",
    });
    expect(judge({ script: lie, origin: "https://evil.top" })).toMatchObject({
      class: "foreign",
      host: "evil.top",
    });
    expect(judge({ script: script("about:srcdoc"), referer: "https://evil.top/" })).toMatchObject({
      class: "foreign",
      claimedUrl: "about:srcdoc",
    });
    expect(judge({ script: script("https://evil.top/"), referer: "https://example.com/" }).class).toBe("own");
  });

  test("nobody's where nobody says anything", () => {
    expect(judge({}).class).toBe("unknown");
    expect(judge({ referer: "null" }).class).toBe("unknown");
    expect(judge({ script: script("") }).class).toBe("unknown");
    expect(judge({ script: script("javascript:alert(1)") }).class).toBe("no_host");
  });

  test("the Referer's for a style sheet", () => {
    expect(judge({ referer: "https://evil.top/page" })).toMatchObject({
      class: "foreign",
      url: "https://evil.top/page",
    });
  });
});
