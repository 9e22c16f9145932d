import { describe, expect, test } from "bun:test";
import { budgetBytesOf, type BodyAccount } from "../../../../src/web/http/body/body-budget.ts";
import { PublicError } from "../../../../src/platform/lib/errors.ts";
import { manualClock } from "../../../support/appliance.ts";
import { testBodies } from "../../../support/bodies.ts";

const mebibyte = 1 << 20;

/** A budget of 24 MiB: 8 MiB for large bodies, and 10 MiB for the oldest of them. */
function openBudget() {
  const clock = manualClock();
  const lines: string[] = [];
  const budget = testBodies({ memoryBytes: 1, clock, write: (line) => void lines.push(line) });
  return { budget, clock, lines };
}

/** Takes a mebibyte. Returns whether it is granted, when all that can be granted has been. */
function taking(account: BodyAccount) {
  const state = { granted: false, error: undefined as unknown };
  void Promise.resolve(account.take(mebibyte)).then(
    () => void (state.granted = true),
    (error: unknown) => void (state.error = error),
  );
  return state;
}

const settle = () => new Promise<void>((resolve) => void setImmediate(resolve));

describe("the budget of bodies", () => {
  test("is an eighth of the memory limit, from 24 to 256 MiB", () => {
    expect([1 << 20, 256 << 20, 2 ** 30, 2 ** 40].map((bytes) => budgetBytesOf(bytes) / mebibyte)).toEqual([
      24, 32, 128, 256,
    ]);
  });

  test("makes bodies wait when it is used up, and lets the oldest one continue, so that none waits for ever", async () => {
    const { budget } = openBudget();
    const accounts = Array.from({ length: 20 }, () => budget.open());
    const first = accounts.map(taking);
    await settle();
    expect(first.filter(({ granted }) => granted)).toHaveLength(8);
    expect(budget.heldBytes).toBe(8 * mebibyte);
    const second = taking(accounts[0]!);
    await settle();
    expect(second.granted).toBe(true);
    expect(budget.heldBytes).toBe(9 * mebibyte);
    accounts[0]!.close();
    await settle();
    expect(first.filter(({ granted }) => granted)).toHaveLength(9);
    for (const account of accounts) {
      account.close();
      await settle();
    }
    expect(first.every(({ granted }) => granted)).toBe(true);
    for (const account of accounts) account.close();
    expect(budget.heldBytes).toBe(0);
  });

  test("rejects a body that waited for ten seconds, with the time to try again, and logs it once", async () => {
    const { budget, clock, lines } = openBudget();
    const accounts = Array.from({ length: 12 }, () => budget.open());
    const states = accounts.map(taking);
    await settle();
    clock.advance(10_000);
    await settle();
    const rejected = states.filter(({ error }) => error !== undefined);
    expect(rejected).toHaveLength(4);
    for (const { error } of rejected) {
      expect(error).toBeInstanceOf(PublicError);
      expect(error).toMatchObject({ code: "internal_error", retryAfterSeconds: 10 });
    }
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("request bodies exceed their memory budget");
  });

  test("keeps room for small bodies while large ones use up theirs", async () => {
    const { budget } = openBudget();
    for (let count = 0; count < 20; count += 1) taking(budget.open());
    await settle();
    for (let count = 0; count < 1_000; count += 1) expect(budget.open().take(5_000)).toBeUndefined();
  });

  test("does not count bodies up to 4 KiB, so that unfinished ones cannot use it up", async () => {
    const { budget } = openBudget();
    for (let count = 0; count < 100_000; count += 1) expect(budget.open().take(4_096)).toBeUndefined();
    expect(budget.heldBytes).toBe(0);
  });
});
