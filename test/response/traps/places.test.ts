import { describe, expect, test } from "bun:test";
import { encode as encodePunycode } from "node:punycode";
import { classifyReport } from "../../../src/response/traps/kinds/beacon/page-report.ts";
import { classifyPlace, decodeTranslated, placeOf } from "../../../src/response/traps/kinds/beacon/places.ts";
import type { PlaceClass } from "../../../src/platform/vocabulary/traps.ts";

const own = ["example.com", "xn--mnchen-3ya.de", "203.0.113.7"];

function classOf(address: string): string {
  const place = placeOf(address);
  return place === undefined ? "invalid" : classifyPlace(place, own).class;
}

const rows: [address: string, PlaceClass | "invalid", host?: string][] = [
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
  // Similar to the owner's
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
  // No alert
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
  // Alerts that look harmless
  ["https://www-evil-top.translate.goog/", "foreign", "www.evil.top"],
  ["https://evil--example-com.translate.goog/", "foreign", "evil-example.com"],
  ["https://eviltranslate.goog/", "foreign"],
  ["https://translate.goog.evil.top/", "foreign"],
  ["https://evil.googleusercontent.com/", "foreign"],
  ["https://notarchive.ph/", "foreign"],
  ["http://127.0.0.1.evil.top/", "foreign"],
  ["http://localhost.evil.top/", "foreign"],
  // Invalid URLs
  ["null", "invalid"],
  ["", "invalid"],
  ["example.com", "invalid"],
  ["//example.com/", "invalid"],
  ["https://", "invalid"],
  ["https://exa mple.com/", "invalid"],
  ["https://exam\tple.com/", "invalid"],
  ["https://example.com\n", "invalid"],
  ["\u0000https://example.com/", "invalid"],
  ["https://example.com\u007f/", "invalid"],
  [`https://${"a.".repeat(200)}com/`, "invalid"],
];

describe("classification of the URL", () => {
  const whole = rows.map(([address, expected, host]) => [address, expected, host ?? null] as const);
  test.each(whole)("%j returns %s", (address, expected, host) => {
    expect(classOf(address)).toBe(expected);
    if (host !== null) expect(classifyPlace(placeOf(address)!, own).host).toBe(host);
  });

  test("depends on the host alone for a very long URL", () => {
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
] as const)("the host that %s translates is %p", (host, original) => {
  expect(decodeTranslated(host)).toBe(original as string);
});

describe("classification of a report", () => {
  const script = (url: string, referrer = "") => ({ url, referrer });
  const classify = (report: Partial<Parameters<typeof classifyReport>[0]>) =>
    classifyReport({ script: null, referer: null, origin: null, ...report }, own);

  test("uses the complete URL of the script if the browser's headers agree or are missing", () => {
    const url = "https://evil.top/login?x=1";
    const whole = { class: "foreign", host: "evil.top", url, claimedUrl: null } as const;
    expect(classify({ script: script(url, "https://search.test/"), referer: "https://evil.top/" })).toEqual({
      ...whole,
      referrer: "https://search.test/",
    });
    expect(classify({ script: script(url) })).toEqual({ ...whole, referrer: null });
    expect(classify({ script: script(url), referer: "null", origin: "null" })).toEqual({
      ...whole,
      referrer: null,
    });
  });

  test("uses the browser's headers if they contradict the script, and keeps the URL that the script claimed", () => {
    const lie = script("https://example.com/");
    expect(classify({ script: lie, referer: "https://evil.top/" })).toMatchObject({
      class: "foreign",
      host: "evil.top",
      url: "https://evil.top/",
      claimedUrl: "https://example.com/",
    });
    expect(classify({ script: lie, origin: "https://evil.top" })).toMatchObject({
      class: "foreign",
      host: "evil.top",
    });
    expect(classify({ script: script("about:srcdoc"), referer: "https://evil.top/" })).toMatchObject({
      class: "foreign",
      claimedUrl: "about:srcdoc",
    });
    expect(classify({ script: script("https://evil.top/"), referer: "https://example.com/" }).class).toBe(
      "own",
    );
  });

  test("returns `unknown` without a usable URL, Referer, or Origin", () => {
    expect(classify({}).class).toBe("unknown");
    expect(classify({ referer: "null" }).class).toBe("unknown");
    expect(classify({ script: script("") }).class).toBe("unknown");
    expect(classify({ script: script("javascript:alert(1)") }).class).toBe("no_host");
  });

  test("uses the Referer for the request of a style sheet", () => {
    expect(classify({ referer: "https://evil.top/page" })).toMatchObject({
      class: "foreign",
      url: "https://evil.top/page",
    });
  });
});
