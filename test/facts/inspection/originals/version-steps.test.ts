import { expect, test } from "bun:test";
import { fingerprintOf } from "../../../../src/facts/inspection/comparison/fingerprint.ts";
import type { PageFingerprint } from "../../../../src/facts/inspection/model/fingerprint.ts";
import type { OriginalVersion } from "../../../../src/facts/inspection/originals/tables.ts";
import type { VersionState } from "../../../../src/facts/inspection/model/original.ts";
import { changesBetween, nextStep } from "../../../../src/facts/inspection/originals/version-steps.ts";
import { dayMs } from "../../../../src/platform/lib/clock.ts";
import type { PageView } from "../../../../src/facts/lookups/page/page-view.ts";
import { passwordForm, viewOf } from "../comparison/support.ts";

const words = (prefix: string, count: number) =>
  Array.from(
    { length: count },
    (_, index) => `${prefix}${String.fromCharCode(97 + (index % 26))}${index}`,
  ).join(" ");
const bank: Partial<PageView> = {
  title: "Example Bank",
  text: words("bank", 80),
  elements: Array.from({ length: 60 }, (_, index) => `div.bank-${index % 20}`),
  forms: [passwordForm("https://page.example/login")],
};
const maintenance: Partial<PageView> = {
  title: "We are back soon",
  text: words("later", 30),
  elements: Array.from({ length: 30 }, (_, index) => `p.note-${index % 10}`),
};
const parking: Partial<PageView> = {
  title: "page.example is for sale",
  text: words("sale", 40),
  elements: Array.from({ length: 40 }, (_, index) => `a.ad-${index % 12}`),
};
const print = (parts: Partial<PageView>): PageFingerprint => fingerprintOf(viewOf(parts));

let seqs = 0;
function version(
  parts: Partial<PageView>,
  state: VersionState,
  given: Partial<OriginalVersion> = {},
): OriginalVersion {
  const seq = ++seqs;
  return {
    seq,
    originalSeq: 1,
    state,
    firstSeenAt: 0,
    lastSeenAt: 0,
    sightings: 1,
    acceptedAt: state === "accepted" ? seq : null,
    fingerprint: print(parts),
    names: { manifest: [], certificate: [], redirects: [], elsewhere: [] },
    changes: [],
    secure: true,
    hasScreenshot: false,
    ...given,
  };
}

function step(
  versions: OriginalVersion[],
  parts: Partial<PageView>,
  given: { secure?: boolean; now?: number } = {},
) {
  return nextStep({ versions, fingerprint: print(parts), secure: true, now: dayMs, ...given });
}

test("the first capture is accepted, and the same page again adds no version", () => {
  expect(step([], bank)).toEqual({ kind: "accept", changes: [] });
  const present = version(bank, "accepted");
  expect(step([present], { ...bank, text: `${bank.text} today` })).toEqual({
    kind: "same",
    seq: present.seq,
  });
});

test("a changed page is a new version that says what changed", () => {
  const changed = { ...bank, title: "Example Bank – sign in", forms: [] };
  expect(step([version(bank, "accepted")], changed)).toEqual({ kind: "accept", changes: ["title", "forms"] });
});

test("a page that looks entirely different waits until it was seen three times in a day", () => {
  const present = version(bank, "accepted");
  expect(step([present], maintenance).kind).toBe("wait");
  const waiting = version(maintenance, "waiting", { firstSeenAt: 0, sightings: 1 });
  expect(step([present, waiting], maintenance, { now: 2 * dayMs })).toEqual({
    kind: "wait_longer",
    seq: waiting.seq,
  });
  waiting.sightings = 2;
  expect(step([present, waiting], maintenance, { now: dayMs / 2 }).kind).toBe("wait_longer");
  expect(step([present, waiting], maintenance, { now: dayMs })).toEqual({
    kind: "accept_waiting",
    seq: waiting.seq,
  });
  // Another page that is entirely different starts over, and the former page ends the waiting.
  expect(step([present, waiting], parking).kind).toBe("wait");
  expect(step([present, waiting], bank)).toEqual({ kind: "same", seq: present.seq });
});

test("a page without a valid certificate never replaces one that had it, however often it is seen", () => {
  const present = version(bank, "accepted");
  const waiting = version(maintenance, "waiting", { sightings: 50 });
  expect(step([present, waiting], maintenance, { secure: false, now: 99 * dayMs })).toEqual({
    kind: "insecure",
  });
  expect(step([present], { ...bank, title: "Example Bank!" }, { secure: false })).toEqual({
    kind: "insecure",
  });
  expect(step([present], bank, { secure: false }).kind).toBe("same");
  const open = version(bank, "accepted", { secure: false });
  expect(step([open, waiting], maintenance, { secure: false, now: 99 * dayMs }).kind).toBe("wait_longer");
});

test("a page with a valid certificate replaces one that never had it at once, such as the sign-in page of a network", () => {
  const network = version(maintenance, "accepted", { secure: false });
  const waiting = version(bank, "waiting", { secure: false });
  expect(step([network], bank).kind).toBe("accept");
  expect(step([network, waiting], bank)).toEqual({ kind: "accept_waiting", seq: waiting.seq });
  expect(step([network, version(maintenance, "accepted")], bank).kind).toBe("wait");
});

test("a rejected version is not accepted again, whatever is on record", () => {
  const rejected = version(parking, "rejected");
  expect(step([rejected], parking)).toEqual({ kind: "rejected", seq: rejected.seq });
  const similar = { ...parking, title: "page.example may be for sale" };
  expect(step([version(bank, "accepted"), rejected], similar)).toEqual({
    kind: "rejected",
    seq: rejected.seq,
  });
  expect(step([version(bank, "accepted"), rejected], bank).kind).toBe("same");
});

test("a page that returns to an earlier version is accepted at once", () => {
  const versions = [version(maintenance, "accepted"), version(bank, "accepted")];
  expect(step(versions, bank)).toMatchObject({ kind: "accept" });
});

test("a query that differs between visits is no change of the address, and another path is one", () => {
  const at = (address: string) => print({ ...bank, addresses: [address], forms: [] });
  const before = at("https://page.example/login?session=1");
  expect(changesBetween(before, at("https://page.example/login?session=2"))).toEqual([]);
  expect(changesBetween(before, at("https://page.example/en/login"))).toEqual(["address"]);
});
