import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Browser } from "../../../src/facts/lookups/browser/chromium.ts";
import {
  existing,
  openEnrichment,
  plainPage,
  registered,
  type OpenEnrichment,
} from "../../support/enrichment.ts";
import { webpOf } from "../../support/pictures.ts";
import { until } from "../../support/until.ts";

const hourMs = 3_600_000;
const [itsPage, ownPage] = await Promise.all([
  webpOf(64, 64, (x, y) => (x < 20 ? 20 : y < 30 ? 240 : 120)),
  webpOf(64, 64, (x, y) => (y < 20 ? 20 : x < 30 ? 240 : 120)),
]);
let opened: OpenEnrichment;
const browser: Browser = {
  async takeScreenshot(url) {
    return { ok: true, webp: url.includes("examp1e") ? itsPage : ownPage, url };
  },
  close() {},
};
beforeEach(() => {
  opened = openEnrichment({ browser });
  opened.enrichment().start();
});
afterEach(() => opened.dispose());

test("the latest raw response of the registry is kept", async () => {
  const id = opened.sight("examp1e-bank.com");
  expect(opened.enrichment().registrationResponseOf(id)).toBeUndefined();
  const first = "Domain: examp1e-bank.com\r\nRegistrant: \u001b[31m<b>Müller</b>\u202e\r\n";
  opened.world.registration = { ...registered, raw: first } as typeof registered;
  await opened.pass(0);
  await until(() => opened.enrichment().registrationResponseOf(id) !== undefined, "the response is kept");
  expect(opened.enrichment().registrationResponseOf(id)!.text).toBe(first);
  opened.world.registration = { ...registered, raw: "another" } as typeof registered;
  opened.enrichment().request(id);
  await opened.pass(24 * hourMs);
  await until(
    () => opened.enrichment().registrationResponseOf(id)!.text === "another",
    "the response is replaced",
  );
  // An outage of the registry deletes nothing.
  opened.world.registration = { ok: false, reason: "no answer" };
  opened.enrichment().request(id);
  await opened.pass(24 * hourMs);
  expect(opened.enrichment().registrationResponseOf(id)!.text).toBe("another");
});

test("screenshots of the threat's page and of the protected domain's page are kept", async () => {
  const id = opened.sight("examp1e-bank.com");
  expect(await opened.enrichment().originalOf(id)).toBeUndefined();
  await opened.pass(0);
  await opened.pass(1_000);
  await until(() => opened.enrichment().factsOf(id)!.facts.screenshot !== undefined, "the capture");
  expect(await opened.enrichment().screenshotOf(id)).toEqual({ webp: new Uint8Array(itsPage) });
  expect(await opened.enrichment().originalOf(id)).toEqual(new Uint8Array(ownPage));
  expect(await opened.enrichment().originalOf("thr_none")).toBeUndefined();
});

test("what screenshots.keep leaves of a threat's screenshot is kept, and the whole one of the protected domain", async () => {
  const id = opened.sight("examp1e-bank.com");
  const retaken = async () => {
    const before = opened.enrichment().factsOf(id)?.facts.screenshot?.at;
    opened.enrichment().request(id);
    await opened.pass(hourMs);
    await until(
      () => (opened.clock.advance(1_000), opened.enrichment().factsOf(id)?.facts.screenshot?.at !== before),
      "the screenshot is taken",
    );
    return opened.enrichment().factsOf(id)!.facts.screenshot!;
  };
  await opened.pass(0);
  opened.screenshots.keep = "blurred";
  const blurred = await retaken();
  // A copy, because the matcher replaces the values that it compares with `expect.any`.
  expect({ ...blurred }).toMatchObject({
    kept: "blurred",
    hash: expect.any(String),
    visualSimilarity: expect.any(Number),
  });
  const stored = (await opened.screenshotFiles.read(id))!;
  expect(await new Bun.Image(stored).metadata()).toMatchObject({ format: "webp", width: 640 });
  // A blurred screenshot differs from the original everywhere.
  expect(await opened.enrichment().pictures.differences(id)).toBeUndefined();

  opened.screenshots.keep = "fingerprints";
  expect(await retaken()).toMatchObject({ kept: "fingerprints", hash: blurred.hash });
  expect(await opened.screenshotFiles.read(id)).toBeUndefined();
  expect(await opened.enrichment().screenshotOf(id)).toEqual({
    why: "Only the fingerprint of the screenshot is kept, as screenshots.keep says.",
  });
  expect(await opened.enrichment().originalOf(id)).toEqual(new Uint8Array(ownPage));

  // The screenshot of an inspection is compared and described in the same way.
  const page = { ...plainPage, finalUrl: "https://examp1e-bank.com/" };
  const { hash } = blurred;
  const inspected = async (webp: Uint8Array | undefined) => {
    opened.clock.advance(hourMs);
    await opened
      .enrichment()
      .handOff([{ threatId: id, existence: existing, page, screenshot: { webp, hash } }]);
    return opened.enrichment().factsOf(id)!.facts.screenshot!;
  };
  const { at: _at, ...same } = blurred;
  opened.screenshots.keep = "blurred";
  expect(await inspected(stored)).toEqual({ ...same, at: opened.clock.now() });
  expect(await opened.screenshotFiles.read(id)).toEqual(stored);
  opened.screenshots.keep = "fingerprints";
  expect(await inspected(undefined)).toEqual({ ...same, kept: "fingerprints", at: opened.clock.now() });
  expect(await opened.screenshotFiles.read(id)).toBeUndefined();
});

test("a harmless page of a host does not replace the facts about its page that imitates", async () => {
  const id = opened.sight("examp1e-bank.com");
  const at = (firstUrl: string, imitates: boolean) => ({
    ...plainPage,
    firstUrl,
    imitation: { protectedDomain: "example-bank.com", score: imitates ? 0.97 : 0.01, imitates, signals: [] },
  });
  const inspect = async (page: ReturnType<typeof at>) => {
    await opened.enrichment().handOff([{ threatId: id, existence: existing, page }]);
    return opened.enrichment().factsOf(id)!.facts.page!.imitation!.imitates;
  };
  expect(await inspect(at("https://examp1e-bank.com/kit/", true))).toBe(true);
  expect(await inspect(at("https://examp1e-bank.com/", false))).toBe(true);
  expect(await inspect(at("https://examp1e-bank.com/kit/", false))).toBe(false);
});
