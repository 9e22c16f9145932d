import { beforeEach, expect, test } from "bun:test";
import {
  createAttemptQueue,
  type AttemptOrigin,
  type AttemptQueue,
} from "../../src/access/console/attempt-queue.ts";
import { createKnownDevices, markSecondsMax } from "../../src/access/console/known-devices.ts";
import { createSettings } from "../../src/access/settings/settings.ts";
import { fillRandom, manualClock } from "../support/appliance.ts";
import { openStores } from "../support/stores.ts";

let clock: ReturnType<typeof manualClock>;
let queue: AttemptQueue;
/** Guesses that were verified. */
let verified: number;
let visits = 0;

beforeEach(() => {
  clock = manualClock();
  queue = createAttemptQueue({ clock });
  verified = 0;
});

const stepMs = 250;
const secondsMax = 3;
/** No attempt waits for longer. */
const waitSeconds = 8;

function from(address: string | null, more: Partial<AttemptOrigin> = {}): AttemptOrigin {
  return { address, visit: `visit ${visits++}`, device: undefined, ...more };
}

function guess(origin: AttemptOrigin): void {
  void queue.verify(origin, async () => {
    verified += 1;
    return false;
  });
}

/** Lets everything happen that waits for no timer. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
}

/** Advances the clock by small steps, each with new guesses. */
async function attack(seconds: number, guessesOfStep: (step: number) => AttemptOrigin[]): Promise<void> {
  for (let step = 0; step < (seconds * 1_000) / stepMs; step += 1) {
    for (const origin of guessesOfStep(step)) guess(origin);
    await settle();
    clock.advance(stepMs);
    await settle();
  }
}

/** Returns the seconds until a correct password is accepted while guesses go on, or Infinity. */
async function secondsUntilAccepted(
  origin: AttemptOrigin,
  guessesOfStep: (step: number) => AttemptOrigin[],
): Promise<number> {
  const start = clock.now();
  let acceptedAt = Infinity;
  const attempt = async () => {
    if (await queue.verify(origin, async () => true)) acceptedAt = clock.now();
  };
  const result = attempt();
  await settle();
  await attack(waitSeconds, guessesOfStep);
  await result;
  return (acceptedAt - start) / 1_000;
}

const hex = (number: number) => number.toString(16);
const many = (count: number, origin: (index: number) => AttemptOrigin) =>
  Array.from({ length: count }, (_, index) => origin(index));

test("A correct password is accepted within seconds while thousands of addresses of an IPv6 /32 guess", async () => {
  const guesses = (step: number) =>
    many(100, (index) => from(`2001:db8:${hex(step % 65_536)}:${hex(index)}::1`));
  await attack(30, guesses);
  expect(await secondsUntilAccepted(from("192.0.2.7"), guesses)).toBeLessThan(secondsMax);
  expect(await secondsUntilAccepted(from("2a00:1450::7"), guesses)).toBeLessThan(secondsMax);
});

test("A correct password is accepted within seconds while addresses of 500 networks of IPv4 guess", async () => {
  const guesses = (step: number) =>
    many(20, (index) => {
      const network = (step * 20 + index) % 500;
      return from(`${20 + (network >> 8)}.${network & 255}.1.1`);
    });
  // Every network has had a turn by then.
  await attack(270, guesses);
  expect(await secondsUntilAccepted(from("192.0.2.7"), guesses)).toBeLessThan(secondsMax);
}, 60_000);

test("A correct password is accepted within seconds from a network whose other addresses guess", async () => {
  const guesses = () => many(30, (index) => from(`198.51.100.${index + 1}`));
  await attack(30, guesses);
  expect(await secondsUntilAccepted(from("198.51.100.200"), guesses)).toBeLessThan(secondsMax);
});

test("A correct password is accepted within seconds from the address of a program that guesses, such as that of a proxy that is not trusted", async () => {
  const guesses = () => many(30, () => from("127.0.0.1", { visit: "the program's" }));
  await attack(30, guesses);
  expect(await secondsUntilAccepted(from("127.0.0.1"), guesses)).toBeLessThan(secondsMax);
});

test("A correct password is accepted right after thousands of guesses from the same address that all seem to be other browsers", async () => {
  for (const origin of many(3_000, () => from("127.0.0.1"))) guess(origin);
  await settle();
  expect(await secondsUntilAccepted(from("127.0.0.1"), () => [])).toBeLessThan(secondsMax);
});

test("A browser that has signed in before is not delayed by guesses, whatever address and browser they pretend to be", async () => {
  const guesses = () => many(100, () => from("127.0.0.1"));
  await attack(30, guesses);
  const device = { device: "a known device" };
  expect(await secondsUntilAccepted(from("127.0.0.1", device), guesses)).toBeLessThan(secondsMax);
  expect(await secondsUntilAccepted(from(null, device), guesses)).toBeLessThan(secondsMax);
});

test("A correct password is accepted within seconds from a private network while every guess comes from another network of the internet", async () => {
  const guesses = (step: number) =>
    many(100, (index) => from(`${20 + (step % 100)}.${index}.${step % 250}.1`));
  await attack(10, guesses);
  for (const address of ["10.0.0.5", "127.0.0.1", "fd00:1::7"])
    expect(await secondsUntilAccepted(from(address), guesses)).toBeLessThan(secondsMax);
});

test("At most 7,220 guesses are verified in an hour, from all addresses and devices together", async () => {
  await attack(3_600, (step) => [
    from(`20.${step % 256}.${(step >> 8) % 256}.1`),
    from(`2001:db8:${hex(step % 65_536)}::1`),
    from("127.0.0.1", { device: `device ${step}` }),
  ]);
  expect(verified).toBeGreaterThan(7_000);
  expect(verified).toBeLessThanOrEqual(7_220);
}, 60_000);

test("Correct passwords are not slowed down, and wrong ones only after 20", async () => {
  for (const origin of many(20, () => from("192.0.2.1"))) guess(origin);
  await settle();
  expect(verified).toBe(20);
  guess(from("192.0.2.1"));
  await settle();
  expect(verified).toBe(20);
  clock.advance(500);
  await settle();
  expect(verified).toBe(21);
  clock.advance(60_000);
  await settle();
  const accepted = many(60, () => from("192.0.2.1")).map((origin) => queue.verify(origin, async () => true));
  expect(await Promise.all(accepted)).toEqual(Array(60).fill(true));
});

test("An attempt whose turn does not come in time is not verified, and no more than 64 wait", async () => {
  const results: (boolean | undefined)[] = [];
  for (const origin of many(200, () => from("192.0.2.1")))
    void queue.verify(origin, async () => false).then((result) => results.push(result));
  await settle();
  const notVerified = () => results.filter((result) => result === undefined).length;
  // Two are being verified at once while 64 wait.
  expect(notVerified()).toBe(200 - 64 - 2);
  expect(verifiedAmong(results)).toBe(20);
  for (let second = 0; second < 8; second += 1) {
    clock.advance(1_000);
    await settle();
  }
  expect(results).toHaveLength(200);
  expect(verifiedAmong(results)).toBe(35);
});

const verifiedAmong = (results: readonly (boolean | undefined)[]) =>
  results.filter((result) => result === false).length;

test("A verification that fails with an error does not take the turn of others", async () => {
  const failing = queue.verify(from("192.0.2.1"), () => Promise.reject(new Error("no memory")));
  await expect(failing).rejects.toThrow("no memory");
  await settle();
  for (const origin of many(5, () => from("192.0.2.1"))) guess(origin);
  await settle();
  expect(verified).toBe(5);
});

test("The mark of a known device is recognized only as it was issued, and for half a year after the latest sign-in", () => {
  const stores = openStores();
  const settings = createSettings(stores);
  const devices = createKnownDevices({ settings, clock: stores.clock, fillRandom });
  const mark = devices.issue(undefined, 1);
  expect(mark).toMatch(/^[\w-]{52}$/);
  const device = devices.recognize(mark, 1)!;
  expect(device).toBe(mark.slice(0, 22));
  for (let index = 0; index < mark.length; index += 1) {
    const other = mark[index] === "a" ? "b" : "a";
    expect(devices.recognize(mark.slice(0, index) + other + mark.slice(index + 1), 1)).toBeUndefined();
  }
  for (const invalid of [undefined, "", mark.slice(1), `${mark}a`])
    expect(devices.recognize(invalid, 1)).toBeUndefined();
  // It is of no use for another account.
  expect(devices.recognize(mark, 2)).toBeUndefined();
  const afterRestart = createKnownDevices({ settings, clock: stores.clock, fillRandom });
  stores.clock.advance(markSecondsMax * 1_000);
  expect(afterRestart.recognize(mark, 1)).toBe(device);
  const renewed = afterRestart.issue(device, 1);
  stores.clock.advance(1_000);
  expect(afterRestart.recognize(mark, 1)).toBeUndefined();
  expect(afterRestart.recognize(renewed, 1)).toBe(device);
  stores.dispose();
});

test("Recognizing a device writes nothing, not even before the first mark was issued", () => {
  const stores = openStores();
  const settings = createSettings(stores);
  const devices = createKnownDevices({ settings, clock: stores.clock, fillRandom });
  expect(devices.recognize("a".repeat(52), 1)).toBeUndefined();
  expect(settings.get("console_device_key")).toBeUndefined();
  stores.dispose();
});
