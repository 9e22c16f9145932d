import { afterEach, expect, test } from "bun:test";
import { referencePattern } from "../../../../src/response/cases/takedowns/report.ts";
import { createEnrichmentStore } from "../../../../src/facts/enrichment/store.ts";
import { analyst } from "../../../support/stores.ts";
import { openTakedownWorld, reportOf } from "../../../support/takedowns.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const worlds: { dispose: () => void }[] = [];
afterEach(() => worlds.splice(0).forEach((world) => world.dispose()));

function openWorld() {
  const world = openTakedownWorld();
  worlds.push(world);
  const report = (ids: string[], reference: string, changes: Parameters<typeof reportOf>[2] = {}) =>
    world.takedowns.add(reportOf(ids, reference, { method: "manual", messageId: null, ...changes }), {
      by: analyst,
    }).report;
  return { ...world, report };
}

test("a report of two threats is followed until both sites are down, with the time that each took", () => {
  const { addThreat, clock, report, setSite, takedowns } = openWorld();
  const [first, second] = [addThreat("exarnple-bank.com"), addThreat("example-bamk.com")];
  setSite(first, "up");
  setSite(second, "up");
  clock.advance(hourMs);
  const { seq } = report([first, second], "PW-00000001");
  clock.advance(2 * hourMs);
  setSite(first, "blocked");
  clock.advance(2 * hourMs);
  setSite(second, "down");

  const outcomes = takedowns
    .get(seq)
    .takedowns.map(({ domain, outcome, downState, downAt, countedFrom }) => ({
      domain,
      outcome,
      downState,
      hours: (downAt! - countedFrom!) / hourMs,
    }));
  expect(outcomes).toEqual([
    { domain: "example-bamk.com", outcome: "down", downState: "down", hours: 4 },
    { domain: "exarnple-bank.com", outcome: "down", downState: "blocked", hours: 2 },
  ]);
  expect(takedowns.statistics().total).toEqual({
    name: null,
    reported: 2,
    down: 2,
    medianMs: 3 * hourMs,
    open: 0,
    cameBack: 0,
  });
});

test("several reports on one site are one takedown, whose time runs from the first report", () => {
  const { addThreat, clock, report, setSite, takedowns } = openWorld();
  const id = addThreat("exarnple-bank.com");
  setSite(id, "up");
  const first = report([id], "PW-00000001");
  clock.advance(dayMs);
  report([id], "PW-00000002", { purpose: "escalation", previousSeq: first.seq });
  clock.advance(dayMs);
  setSite(id, "down");
  const { total } = takedowns.statistics();
  expect(total).toMatchObject({ reported: 1, down: 1, medianMs: 2 * dayMs });
  expect(takedowns.reportsOf(id)).toMatchObject([
    { reference: "PW-00000001", outcome: "down" },
    { reference: "PW-00000002", purpose: "escalation", outcome: "down", down_state: "down" },
  ]);
});

test("a site that was down before the report, or never up, has no time to down", () => {
  const { addThreat, clock, report, setSite, takedowns } = openWorld();
  const [gone, parked] = [addThreat("exarnple-bank.com"), addThreat("example-bamk.com")];
  setSite(gone, "down");
  setSite(parked, "parked");
  report([gone], "PW-00000001");
  report([parked], "PW-00000002");
  clock.advance(dayMs);
  // The registrar suspends the parked name.
  setSite(parked, "blocked");
  expect(takedowns.statistics().total).toMatchObject({ reported: 2, down: 0, medianMs: null, open: 0 });
});

test("the time of a site that comes up after the report runs from then", () => {
  const { addThreat, clock, report, setSite, takedowns } = openWorld();
  const id = addThreat("exarnple-bank.com");
  setSite(id, "registered");
  report([id], "PW-00000001");
  clock.advance(dayMs);
  setSite(id, "up");
  clock.advance(hourMs);
  setSite(id, "parked");
  expect(takedowns.statistics().total).toMatchObject({ down: 1, medianMs: hourMs });
});

test("a site that comes back leads what needs attention, and its next report is a takedown of its own", () => {
  const { addThreat, clock, report, setSite, takedowns } = openWorld();
  const id = addThreat("exarnple-bank.com");
  setSite(id, "up");
  report([id], "PW-00000001");
  clock.advance(hourMs);
  setSite(id, "down");
  clock.advance(5 * hourMs);
  setSite(id, "back");
  expect(takedowns.attention()).toEqual({ cameBack: 1, notDelivered: 0, followUps: 0 });
  expect(takedowns.list("attention", { limit: 10, offset: 0 }).reports.map(({ next }) => next)).toEqual([
    "came_back",
  ]);
  expect(takedowns.cameBack(5).map(({ threatId }) => threatId)).toEqual([id]);

  report([id], "PW-00000002", { purpose: "again" });
  expect(takedowns.attention().cameBack).toBe(0);
  expect(takedowns.ofThreat(id).map(({ next }) => next)).toEqual(["none", "wait"]);
  clock.advance(3 * hourMs);
  setSite(id, "down");
  expect(takedowns.statistics().total).toMatchObject({
    reported: 2,
    down: 2,
    medianMs: 2 * hourMs,
    cameBack: 1,
  });
});

test("a follow-up is due only while the site is up, the threat active, and nobody has followed up", () => {
  const { addThreat, clock, report, setSite, takedowns, threats } = openWorld();
  const id = addThreat("exarnple-bank.com");
  setSite(id, "up");
  const first = report([id], "PW-00000001");
  clock.advance(2 * dayMs - 1);
  expect(takedowns.attention().followUps).toBe(0);
  clock.advance(1);
  expect(takedowns.attention().followUps).toBe(1);
  expect(takedowns.ofThreat(id)[0]!.next).toBe("follow_up");

  threats.changeStatus([id], "resolved", { by: analyst });
  expect(takedowns.attention().followUps).toBe(0);
  threats.changeStatus([id], "active", { by: analyst });
  takedowns.postpone(first.seq, clock.now() + dayMs, { by: analyst });
  expect(takedowns.attention().followUps).toBe(0);
  clock.advance(dayMs);
  expect(takedowns.attention().followUps).toBe(1);
  const second = report([id], "PW-00000002", { purpose: "follow_up", previousSeq: first.seq });
  expect(takedowns.attention().followUps).toBe(0);
  clock.advance(2 * dayMs);
  expect(takedowns.attention().followUps).toBe(1);
  takedowns.close(second.seq, { by: analyst });
  expect(takedowns.attention().followUps).toBe(0);
  expect(takedowns.ofThreat(id).map(({ next }) => next)).toEqual(["none", "none"]);
});

test("a form that is sent twice creates one report", () => {
  const { addThreat, takedowns } = openWorld();
  const id = addThreat("exarnple-bank.com");
  const reference = takedowns.newReference();
  expect(reference).toMatch(referencePattern);
  const given = reportOf([id], reference, { method: "manual", messageId: null });
  expect(takedowns.add(given, { by: analyst }).isNew).toBe(true);
  expect(takedowns.add(given, { by: analyst }).isNew).toBe(false);
  expect(takedowns.list("all", { limit: 10, offset: 0 }).total).toBe(1);
});

test("the figures of a takedown that ended remain when its threat is deleted, and an open one is no longer waited for", () => {
  const { addThreat, clock, database, report, setSite, takedowns } = openWorld();
  const [ended, open] = [addThreat("exarnple-bank.com"), addThreat("example-bamk.com")];
  for (const id of [ended, open]) setSite(id, "up");
  const { seq } = report([ended, open], "PW-00000001");
  clock.advance(hourMs);
  setSite(ended, "down");
  database.sqlite.run("DELETE FROM threats");
  clock.advance(3 * dayMs);
  expect(takedowns.statistics().total).toMatchObject({ reported: 2, down: 1, medianMs: hourMs, open: 0 });
  expect(takedowns.attention().followUps).toBe(0);
  expect(
    takedowns
      .get(seq)
      .takedowns.map(({ outcome }) => outcome)
      .toSorted(),
  ).toEqual(["deleted", "down"]);
});

test("a subject with a line break, an oversized text and a missing signature are rejected with what to change", () => {
  const { addThreat, takedowns } = openWorld();
  const id = addThreat("exarnple-bank.com");
  const add = (changes: Parameters<typeof reportOf>[2]) => () =>
    takedowns.add(reportOf([id], "PW-00000001", changes), { by: analyst });
  expect(add({ subject: "Phishing\r\nBcc: everybody@example.com" })).toThrow("line break");
  expect(add({ body: "x".repeat(30_001) })).toThrow("the maximum is 30000");
  expect(add({ body: "Kind regards,\n[name, organization, phone]" })).toThrow("takedown.signature");
  expect(add({ recipient: { kind: "hoster", name: "H", source: { from: "list" } } })).toThrow(
    "one email address",
  );
  expect(add({ threats: [] })).toThrow("1 to 100 threats");
  expect(takedowns.list("all", { limit: 10, offset: 0 }).total).toBe(0);
});

test("a pasted response of 5,000 hostile characters is kept as it is, without control characters", () => {
  const { addThreat, report, takedowns } = openWorld();
  const { seq } = report([addThreat("exarnple-bank.com")], "PW-00000001");
  const hostile = `<script>alert(1)</script>\u0000\u202e${"x".repeat(5_000)}\r\nTicket #42`;
  takedowns.addResponse(seq, { text: hostile, ticket: "ABUSE-42" }, { by: analyst });
  const { report: kept, responses } = takedowns.get(seq);
  expect(kept.ticket).toBe("ABUSE-42");
  expect(responses[0]!.text).toBe(`<script>alert(1)</script>\u202e${"x".repeat(5_000)}\nTicket #42`);
  expect(() => takedowns.addResponse(seq, { text: "x".repeat(20_001), ticket: "" }, { by: analyst })).toThrow(
    "the maximum is 20000",
  );
});

test("a site that is back is not back once more when it is called up, 30 days later", () => {
  const { addThreat, clock, report, setSite, takedowns } = openWorld();
  const id = addThreat("exarnple-bank.com");
  setSite(id, "up");
  report([id], "PW-00000001");
  clock.advance(dayMs);
  setSite(id, "down");
  clock.advance(dayMs);
  setSite(id, "back");
  const backAt = clock.now();
  clock.advance(30 * dayMs);
  setSite(id, "up");
  expect(takedowns.takedownsOfThreat(id)).toMatchObject([{ outcome: "down", backAt }]);
  clock.advance(dayMs);
  setSite(id, "down");
  clock.advance(dayMs);
  setSite(id, "back");
  expect(takedowns.takedownsOfThreat(id)[0]!.backAt).toBe(clock.now());
});

test("a parked site that goes down after the report ends the takedown without a time", () => {
  const { addThreat, clock, report, setSite, takedowns } = openWorld();
  const id = addThreat("exarnple-bank.com");
  setSite(id, "parked");
  report([id], "PW-00000001");
  clock.advance(dayMs);
  setSite(id, "down");
  expect(takedowns.takedownsOfThreat(id)).toMatchObject([{ outcome: "down", countedFrom: null }]);
  expect(takedowns.statistics().total).toMatchObject({ reported: 1, down: 0, open: 0, medianMs: null });
});

test("a site that is reported is checked within 4 hours, and is watched until it is down", async () => {
  const { addThreat, clock, database, report, setSite } = openWorld();
  const store = createEnrichmentStore(database);
  const id = addThreat("exarnple-bank.com");
  await store.admitNew(clock.now(), 10);
  const { threatSeq } = store.findById(id)!;
  store.saveCheck(threatSeq, clock.now(), { rank: 4, dueAt: clock.now() + 30 * dayMs, step: 5, failures: 0 });
  setSite(id, "up");
  expect(store.find(threatSeq)!.openTakedowns).toBe(0);
  report([id], "PW-00000001");
  expect(store.find(threatSeq)!.openTakedowns).toBe(1);
  expect(store.factsOf(id)!.dueAt).toBe(clock.now() + 4 * hourMs);
  setSite(id, "down");
  expect(store.find(threatSeq)!.openTakedowns).toBe(0);
});
