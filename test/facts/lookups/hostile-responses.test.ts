import { join } from "node:path";
import { afterAll, describe, expect, test } from "bun:test";
import type { ClientFigures } from "../../../scripts/campaigns/hostile/client-process.ts";
import { repeatedMarkup } from "../../../scripts/campaigns/hostile/http-responses.ts";
import { hostileInput, subjects } from "../../../scripts/campaigns/hostile/inputs.ts";

const seed = Number(process.env["TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const inputs = 40;
const concurrency = 8;
const blockedMsMax = 20;
const heldMebibytesMax = 8;
/** Garbage collection that falls into a turn counts against it, and on a busy machine takes many times longer. */
const tries = 12;

const campaign = join(import.meta.dir, "../../../scripts/campaigns/hostile");

async function run(...command: string[]): Promise<string> {
  const child = Bun.spawn([process.execPath, ...command], { stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect([errors, await child.exited]).toEqual(["", 0]);
  return output;
}

const server = Bun.spawn([process.execPath, join(campaign, "bad-server.ts"), String(seed)], {
  stdout: "pipe",
});
afterAll(() => server.kill());
const port = server.stdout
  .getReader()
  .read()
  .then(({ value }) => new TextDecoder().decode(value).trim());

/** Returns the shortest of the longest turns of several runs with the same inputs, in milliseconds of CPU time. */
async function longestTurn(subject: string): Promise<number> {
  let least = Infinity;
  for (let tried = 0; tried < tries && least >= blockedMsMax; tried += 1) {
    const figures = JSON.parse(
      await run(
        join(campaign, "client-process.ts"),
        await port,
        subject,
        "0",
        String(inputs),
        String(concurrency),
      ),
    ) as ClientFigures;
    least = Math.min(least, figures.cpuMs);
  }
  return least;
}

describe("eight hostile responses at once", () => {
  test.each([...subjects])(
    `of kind %s never stop the event loop for 20 ms, seed ${seed}`,
    async (subject) => {
      expect(await longestTurn(subject)).toBeLessThan(blockedMsMax);
    },
    120_000,
  );
});

test("A hostile input is the same for the same seed and number, and another one for others", () => {
  const digest = (at: { seed: number; index: number }) => {
    const { kind, bytes, end } = hostileInput("rdap", at);
    return `${kind} ${end} ${Bun.hash(bytes)}`;
  };
  for (let index = 0; index < 8; index += 1) expect(digest({ seed, index })).toBe(digest({ seed, index }));
  const others = [0, 1, 2, 3].flatMap((index) => [
    digest({ seed, index }),
    digest({ seed: seed + 1, index }),
  ]);
  expect(new Set(others).size).toBeGreaterThan(4);
});

describe("a hostile page", () => {
  test.each(Object.entries(repeatedMarkup))(
    "of 1 MiB of %s holds at most 8 MiB of memory while it is read",
    async (_what, markup) => {
      let least = Infinity;
      for (let tried = 0; tried < tries && least >= heldMebibytesMax; tried += 1)
        least = Math.min(
          least,
          Number(await run(join(import.meta.dir, "../../support/held-memory.ts"), markup)),
        );
      expect(least).toBeLessThan(heldMebibytesMax);
    },
    60_000,
  );
});
