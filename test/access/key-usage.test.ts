import { expect, test } from "bun:test";
import { createKeyUsage } from "../../src/access/keys/key-usage.ts";

const minuteMs = 60_000;
const start = Date.UTC(2026, 0, 15, 12);

test("requests and rate-limited requests of the last hour are counted per key, with minute precision", () => {
  const usage = createKeyUsage();
  usage.note(1, false, start);
  usage.note(1, true, start);
  usage.note(2, false, start + 30 * minuteMs);
  expect(usage.lastHour(1, start)).toEqual({ requests: 2, limited: 1 });
  expect(usage.lastHour(1, start + 59 * minuteMs)).toEqual({ requests: 2, limited: 1 });
  expect(usage.lastHour(1, start + 60 * minuteMs)).toEqual({ requests: 0, limited: 0 });
  expect(usage.lastHour(2, start + 60 * minuteMs)).toEqual({ requests: 1, limited: 0 });
  expect(usage.lastHour(3, start)).toEqual({ requests: 0, limited: 0 });
});

test("a minute's slot is reused after an hour, and setting the clock back does no harm", () => {
  const usage = createKeyUsage();
  for (let minute = 0; minute < 200; minute++) usage.note(1, minute % 2 === 0, start + minute * minuteMs);
  expect(usage.lastHour(1, start + 199 * minuteMs)).toEqual({ requests: 60, limited: 30 });
  expect(usage.lastHour(1, start)).toEqual({ requests: 0, limited: 0 });
  usage.note(1, false, start);
  expect(usage.lastHour(1, start)).toEqual({ requests: 1, limited: 0 });
});
