import { describe, expect, test } from "bun:test";
import { isBelow, placeOf } from "../../../src/response/traps/kinds/beacon/places.ts";
import { beaconScript } from "../../../src/response/traps/kinds/beacon/snippets.ts";

const own = ["example-bank.com", "xn--mnchen-3ya.de", "partner.example.net", "203.0.113.7"];
const beaconUrl = "https://traps.test/b/abcdefghijklmnopqrstuvwxyz";

/** Runs the script like a page with this URL, and returns the requests that it sends. */
function requestsAt(
  href: string,
  { referrer = "", fetchFails = false, script = beaconScript(beaconUrl, own) } = {},
) {
  const requests: { url: string; options: Record<string, unknown>; rejectionHandled: boolean }[] = [];
  const fetch = (url: string, options: Record<string, unknown>) => {
    const request = { url, options, rejectionHandled: false };
    requests.push(request);
    if (fetchFails) throw new TypeError("blocked");
    return { catch: () => void (request.rejectionHandled = true) };
  };
  const { hostname } = new URL(href);
  // oxlint-disable-next-line no-new-func -- runs it like a page
  new Function("location", "document", "fetch", script)({ hostname, href }, { referrer }, fetch);
  return requests;
}

describe("the script", () => {
  test.each([
    "https://example-bank.com/",
    "https://example-bank.com./",
    "https://EXAMPLE-BANK.com:8443/login",
    "https://a.b.c.example-bank.com/",
    "https://münchen.de/",
    "https://www.xn--mnchen-3ya.de/",
    "https://partner.example.net/",
    "http://203.0.113.7:8080/",
  ])("sends no request at %s", (href) => {
    expect(requestsAt(href)).toEqual([]);
  });

  test.each([
    "https://evil.top/",
    "https://evil-example-bank.com/",
    "https://example-bank.com.evil.top/",
    "https://example-bank.co/",
    "https://bank.com/",
    "https://com/",
    "https://example.net/",
    "https://example-bank.com@evil.top/",
    "http://8.8.8.8/",
    "file:///home/page.html",
    "data:text/html,x",
    "about:blank",
  ])("sends one request, with the complete URL and without cookies, at %s", (href) => {
    const requests = requestsAt(href, { referrer: "https://search.test/?q=ä" });
    expect(requests).toHaveLength(1);
    const { url, options } = requests[0]!;
    const { searchParams } = new URL(url);
    expect(url).toStartWith(`${beaconUrl}?u=`);
    expect([searchParams.get("u"), searchParams.get("r")]).toEqual([href, "https://search.test/?q=ä"]);
    expect(options).toMatchObject({ mode: "no-cors", credentials: "omit", keepalive: true });
  });

  test("sends no request exactly where the server would classify the page as the owner's", () => {
    const labels = [
      "example-bank",
      "com",
      "evil",
      "www",
      "xn--mnchen-3ya",
      "de",
      "partner",
      "example",
      "net",
      "a",
    ];
    for (const first of labels)
      for (const second of labels)
        for (const third of labels) {
          const href = `https://${first}.${second}.${third}/`;
          const place = placeOf(href);
          const isOwn = place?.kind === "host" && isBelow(place.host, own);
          expect([href, requestsAt(href).length]).toEqual([href, isOwn ? 0 : 1]);
        }
  });

  test("ignores a missing fetch, one that throws, and one that fails", () => {
    expect(requestsAt("https://evil.top/", { fetchFails: true })).toHaveLength(1);
    expect(requestsAt("https://evil.top/")).toMatchObject([{ rejectionHandled: true }]);
    // oxlint-disable-next-line no-new-func -- runs it like a page
    new Function("location", "document", "fetch", beaconScript(beaconUrl, own))({}, {}, undefined);
  });

  test("still reports after the owner's name is replaced throughout the page", () => {
    const rewritten = beaconScript(beaconUrl, own).replaceAll(/example-bank\.com|example-bank/g, "evil.top");
    expect(requestsAt("https://evil.top/", { script: rewritten })).toHaveLength(1);
  });

  test("cuts very long URLs to a length that servers accept", () => {
    const [{ url } = { url: "" }] = requestsAt(new URL(`https://evil.top/${"ä".repeat(5_000)}`).href, {
      referrer: `https://a.test/${"b".repeat(5_000)}`,
    });
    expect(url.length).toBeLessThan(8_000);
  });
});
