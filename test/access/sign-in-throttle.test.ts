import { expect, test } from "bun:test";
import { createSignInThrottle } from "../../src/access/console/sign-in-throttle.ts";

const home = "192.0.2.1";

test("guessing from many addresses blocks other clients for a minute, but not those that have signed in", () => {
  let now = 0;
  const sessions: (string | null)[] = [];
  const throttle = createSignInThrottle({ clock: { now: () => now }, signedInFrom: () => sessions });
  throttle.take(home);
  throttle.forgive(home);
  sessions.push(null, "2001:db8:1:2::9");
  for (let network = 0; network < 300; network += 1)
    throttle.take(`2001:db8:ffff:${network.toString(16)}::1`);
  expect(throttle.take("198.51.100.1")).toBe(60);
  expect(throttle.take(home)).toBe(0);
  expect(throttle.take("2001:db8:1:2::1")).toBe(0);
  expect(throttle.take("2001:db8:1:3::1")).toBe(60);
  // The limit per address applies to known clients too.
  for (let attempt = 1; attempt < 10; attempt += 1) expect(throttle.take(home)).toBe(0);
  expect(throttle.take(home)).toBe(600);
  now = 60_000;
  expect(throttle.take("198.51.100.1")).toBe(0);
});
