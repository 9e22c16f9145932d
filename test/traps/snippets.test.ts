import { describe, expect, test } from "bun:test";
import { isBelow, placeOf } from "../../src/traps/places.ts";
import { beaconScript } from "../../src/traps/snippets.ts";

const own = ["example-bank.com", "xn--mnchen-3ya.de", "partner.example.net", "203.0.113.7"];
const beaconUrl = "https://traps.test/b/abcdefghijklmnopqrstuvwxyz";

/** Runs the script as a page at this address would; answers what it asked for. */
function requestsAt(
  href: string,
  { referrer = "", fetchFails = false, script = beaconScript(beaconUrl, own) } = {},
) {
  const asked: { url: string; options: Record<string, unknown> }[] = [];
  const fetch = (url: string, options: Record<string, unknown>) => {
    asked.push({ url, options });
    if (fetchFails) throw new TypeError("blocked");
    return Promise.reject(new TypeError("blocked"));
  };
  const { hostname } = new URL(href);
  // oxlint-disable-next-line no-new-func -- this is how a page runs it
  new Function("location", "document", "fetch", script)({ hostname, href }, { referrer }, fetch);
  return asked;
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
  ])("asks for nothing at %s", (href) => {
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
  ])("asks once, with the whole address and no cookie, at %s", (href) => {
    const asked = requestsAt(href, { referrer: "https://search.test/?q=ä" });
    expect(asked).toHaveLength(1);
    const { url, options } = asked[0]!;
    const { searchParams } = new URL(url);
    expect(url).toStartWith(`${beaconUrl}?u=`);
    expect([searchParams.get("u"), searchParams.get("r")]).toEqual([href, "https://search.test/?q=ä"]);
    expect(options).toMatchObject({ mode: "no-cors", credentials: "omit", keepalive: true });
  });

  test("is silent only where the server would be", () => {
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

  test("throws nothing where there is no fetch, where it throws, or where it fails", async () => {
    const rejections: unknown[] = [];
    const note = (error: unknown) => void rejections.push(error);
    process.on("unhandledRejection", note);
    expect(requestsAt("https://evil.top/", { fetchFails: true })).toHaveLength(1);
    expect(requestsAt("https://evil.top/")).toHaveLength(1);
    // oxlint-disable-next-line no-new-func -- this is how a page runs it
    new Function("location", "document", "fetch", beaconScript(beaconUrl, own))({}, {}, undefined);
    await Bun.sleep(5);
    process.off("unhandledRejection", note);
    expect(rejections).toEqual([]);
  });

  test("is not disarmed by putting another name in the place of the owner's", () => {
    const rewritten = beaconScript(beaconUrl, own).replaceAll(/example-bank\.com|example-bank/g, "evil.top");
    expect(requestsAt("https://evil.top/", { script: rewritten })).toHaveLength(1);
  });

  test("reports very long addresses cut, in less than what servers take", () => {
    const [{ url } = { url: "" }] = requestsAt(new URL(`https://evil.top/${"ä".repeat(5_000)}`).href, {
      referrer: `https://a.test/${"b".repeat(5_000)}`,
    });
    expect(url.length).toBeLessThan(8_000);
  });
});
