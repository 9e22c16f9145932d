import { describe, expect, test } from "bun:test";
import { toIsoTime, type Instant } from "../../../../src/platform/lib/clock.ts";
import {
  afterMessage,
  burstMessagesMax,
  dueAt,
  quietMs,
  type Sent,
  type Timing,
  type Waiting,
} from "../../../../src/messaging/subscriptions/timing/due.ts";
import { localTime } from "../../../../src/messaging/subscriptions/timing/local-time.ts";

const nothingSent: Sent = { limitedUntil: 0, lastAt: null };
const always: Timing = { digest: "none", at: 8 * 60, weekdays: [], quietHours: null };
const one = (at: Instant): Waiting => ({ firstAt: at, lastAt: at, urgentAt: null, complete: true });
const start = Date.UTC(2026, 0, 15, 12);
const seconds = (count: number) => start + count * 1_000;
const minutes = (count: number) => start + count * 60_000;

describe("a subscription without a digest", () => {
  const due = (waiting: Partial<Waiting>, sent: Sent = nothingSent, now = start) =>
    (dueAt({ ...one(start), ...waiting }, sent, always, localTime("UTC"), now) - start) / 1_000;

  test("sends when nothing was added for 5 seconds and the lookups have ended", () => {
    expect(due({})).toBe(quietMs / 1_000);
    expect(due({ lastAt: seconds(20) }, nothingSent, seconds(20))).toBe(25);
    expect(due({ complete: false })).toBe(45);
  });

  test("sends 45 seconds after the first change at the latest, also when much was missed", () => {
    expect(due({ lastAt: seconds(44) }, nothingSent, seconds(44))).toBe(45);
    expect(due({ lastAt: seconds(100) }, nothingSent, seconds(100))).toBe(100);
  });

  test("sends 5 messages in a row, then one every 10 minutes, until it was quiet", () => {
    let sent = nothingSent;
    const times: number[] = [];
    for (let now = start; times.length < 8;) {
      const at = dueAt({ ...one(now), lastAt: now }, sent, always, localTime("UTC"), now);
      sent = { limitedUntil: afterMessage(sent, at), lastAt: at };
      times.push((at - start) / 1_000);
      now = at;
    }
    expect(times).toEqual([5, 10, 15, 20, 25, 605, 1205, 1805]);
    const later = start + 1_805_000 + 50 * 60_000;
    expect(dueAt(one(later), sent, always, localTime("UTC"), later)).toBe(later + quietMs);
    expect(burstMessagesMax).toBe(5);
  });

  test("never lets an urgent change wait for more than a minute", () => {
    const limited = { limitedUntil: minutes(50), lastAt: start };
    expect(due({}, limited)).toBe(600);
    expect(due({ urgentAt: seconds(1) }, limited, seconds(1))).toBe(55);
    expect(due({ urgentAt: seconds(50), lastAt: seconds(50) }, limited, seconds(50))).toBe(55);
    expect(due({ urgentAt: seconds(300), lastAt: seconds(300) }, limited, seconds(300))).toBe(305);
    expect(due({ urgentAt: seconds(300), complete: false }, limited, seconds(300))).toBe(345);
  });

  test("sends at once if the clock was set back since", () => {
    expect(due({}, nothingSent, start - 3_600_000)).toBe(-3_600);
    const future = { limitedUntil: start + 86_400_000, lastAt: start + 86_400_000 };
    expect(due({}, future)).toBe(600);
    expect(due({ urgentAt: start }, future)).toBe(5);
    expect(afterMessage(future, start)).toBe(minutes(50));
  });
});

interface Row {
  timing: Partial<Timing>;
  zone?: string;
  first: string;
  now?: string;
  due: string;
}

const work = ["mon", "tue", "wed", "thu", "fri"] as const;
const night = { from: 22 * 60, to: 7 * 60 };
const rows: [says: string, row: Row][] = [
  [
    "an hourly digest is sent at the full hour",
    { timing: { digest: "hourly" }, first: "2026-01-15T12:00:00Z", due: "2026-01-15T13:00:00.000Z" },
  ],
  [
    "an hourly digest follows the hours of a zone with half an hour",
    {
      timing: { digest: "hourly" },
      zone: "Asia/Kolkata",
      first: "2026-01-15T12:00:00Z",
      due: "2026-01-15T12:30:00.000Z",
    },
  ],
  [
    "a daily digest is sent at its time",
    { timing: { digest: "daily" }, first: "2026-01-15T07:59:59Z", due: "2026-01-15T08:00:00.000Z" },
  ],
  [
    "what happens at its time belongs to the next daily digest",
    { timing: { digest: "daily" }, first: "2026-01-15T08:00:00Z", due: "2026-01-16T08:00:00.000Z" },
  ],
  [
    "a missed daily digest is sent once the server runs",
    {
      timing: { digest: "daily" },
      first: "2026-01-15T07:00:00Z",
      now: "2026-01-18T10:00:00Z",
      due: "2026-01-18T10:00:00.000Z",
    },
  ],
  [
    "a missed daily digest waits for a permitted day",
    {
      timing: { digest: "daily", weekdays: work },
      first: "2026-01-15T07:00:00Z",
      now: "2026-01-17T10:00:00Z",
      due: "2026-01-19T08:00:00.000Z",
    },
  ],
  [
    "a daily digest on workdays contains the weekend on Monday",
    {
      timing: { digest: "daily", weekdays: work },
      first: "2026-01-16T09:00:00Z",
      due: "2026-01-19T08:00:00.000Z",
    },
  ],
  [
    "a daily digest keeps its local time when daylight saving begins",
    {
      timing: { digest: "daily" },
      zone: "Europe/Berlin",
      first: "2026-03-28T08:00:00Z",
      due: "2026-03-29T06:00:00.000Z",
    },
  ],
  [
    "a daily digest keeps its local time when daylight saving ends",
    {
      timing: { digest: "daily" },
      zone: "Europe/Berlin",
      first: "2026-10-24T08:00:00Z",
      due: "2026-10-25T07:00:00.000Z",
    },
  ],
  [
    "a daily digest at a time that daylight saving skips is sent after it",
    {
      timing: { digest: "daily", at: 150 },
      zone: "Europe/Berlin",
      first: "2026-03-29T00:00:00Z",
      due: "2026-03-29T01:30:00.000Z",
    },
  ],
  [
    "a daily digest at a time that occurs twice is sent at the first one",
    {
      timing: { digest: "daily", at: 150 },
      zone: "Europe/Berlin",
      first: "2026-10-24T22:00:00Z",
      due: "2026-10-25T00:30:00.000Z",
    },
  ],
  [
    "a daily digest is not repeated at the second occurrence",
    {
      timing: { digest: "daily", at: 150 },
      zone: "Europe/Berlin",
      first: "2026-10-25T00:30:00Z",
      due: "2026-10-26T01:30:00.000Z",
    },
  ],
  [
    "a daily digest within the quiet hours waits for their end",
    {
      timing: { digest: "daily", at: 360, quietHours: night },
      first: "2026-01-15T05:00:00Z",
      due: "2026-01-15T07:00:00.000Z",
    },
  ],
  [
    "a message outside of the quiet hours does not wait",
    { timing: { quietHours: night }, first: "2026-01-15T21:59:50Z", due: "2026-01-15T21:59:55.000Z" },
  ],
  [
    "a message within the quiet hours waits for their end",
    { timing: { quietHours: night }, first: "2026-01-15T21:59:55Z", due: "2026-01-16T07:00:00.000Z" },
  ],
  [
    "a message after midnight waits for the end of the same night",
    { timing: { quietHours: night }, first: "2026-01-16T03:00:00Z", due: "2026-01-16T07:00:00.000Z" },
  ],
  [
    "quiet hours within a day end on that day",
    {
      timing: { quietHours: { from: 12 * 60, to: 13 * 60 } },
      first: "2026-01-15T12:30:00Z",
      due: "2026-01-15T13:00:00.000Z",
    },
  ],
  [
    "a message on a day without messages waits for the next day, and for the end of its quiet hours",
    {
      timing: { weekdays: work, quietHours: night },
      first: "2026-01-17T12:00:00Z",
      due: "2026-01-19T07:00:00.000Z",
    },
  ],
  [
    "quiet hours follow the time zone and its daylight saving",
    {
      timing: { quietHours: night },
      zone: "America/New_York",
      first: "2026-03-08T06:00:00Z",
      due: "2026-03-08T11:00:00.000Z",
    },
  ],
  [
    "an hourly digest within the quiet hours waits for their end",
    {
      timing: { digest: "hourly", quietHours: night },
      first: "2026-01-15T22:30:00Z",
      due: "2026-01-16T07:00:00.000Z",
    },
  ],
];

test.each(rows)("%s", (_, { timing, zone = "UTC", first, now = first, due }) => {
  const at = Date.parse(first);
  const result = dueAt(one(at), nothingSent, { ...always, ...timing }, localTime(zone), Date.parse(now));
  expect(toIsoTime(result)).toBe(due);
});

test("urgent changes wait for the end of the quiet hours, too", () => {
  const at = Date.parse("2026-01-16T03:00:00Z");
  const waiting = { ...one(at), urgentAt: at };
  const quiet = { ...always, quietHours: night };
  expect(toIsoTime(dueAt(waiting, nothingSent, quiet, localTime("UTC"), at))).toBe(
    "2026-01-16T07:00:00.000Z",
  );
});

test("wall clocks of all offsets convert to points in time and back", () => {
  for (const zone of ["Pacific/Apia", "America/St_Johns", "Europe/Berlin", "Australia/Lord_Howe", "UTC"]) {
    const local = localTime(zone);
    for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += 37 * 3_600_000 + 123) {
      const back = local.instant(local.shown(at));
      // Within the repeated hour, the first of the two points in time is returned.
      expect([0, 30 * 60_000, 3_600_000]).toContain(at - back);
      expect(local.shown(back)).toBe(local.shown(at));
    }
  }
});
