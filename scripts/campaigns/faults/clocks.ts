import { Database } from "bun:sqlite";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  createExpectations,
  endpointText,
  openAppliance,
  within,
  type Appliance,
  type Fault,
} from "./appliance.ts";

const jumps = { "back by a minute": -60, "back by six hours": -6 * 3_600, "forward by six hours": 6 * 3_600 };
const retryDelayMs = 6_000;
/** Several times the delay, and far less than any jump. */
const retriedMsMax = 30_000;
const feedMsMax = 25_000;

async function openShifted(folder: string, settings: string) {
  const library = join(folder, "clock-shift.so");
  const source = join(import.meta.dir, "clock-shift.c");
  const built = Bun.spawnSync(["cc", "-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"]);
  if (built.exitCode !== 0) throw new Error(built.stderr.toString());
  const shiftFile = join(folder, "shift");
  const shift = (seconds: number) => writeFileSync(shiftFile, String(seconds));
  shift(0);
  const appliance = await openAppliance({
    folder,
    settings,
    environment: { LD_PRELOAD: library, CLOCK_SHIFT_FILE: shiftFile },
  });
  return { appliance, shift };
}

/** Returns the time that the server believes it is, minus the real time, in seconds. */
async function shiftOf(appliance: Appliance): Promise<number> {
  await appliance.submit();
  const database = new Database(appliance.databasePath, { readonly: true });
  const { at } = database.query<{ at: number }, []>("SELECT max(seq), created_at AS at FROM threats").get()!;
  database.close();
  return (at - Date.now()) / 1_000;
}

const toleranceSeconds = 30;

export const clockFaults = Object.entries(jumps).map(([what, seconds]): Fault => ({
  name: `the clock jumps ${what}`,
  unavailable: () => (Bun.which("cc") === null ? "no C compiler" : undefined),
  async run({ folder }) {
    const { violations, expect } = createExpectations();
    let requests = 0;
    const receiver = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => new Response(null, { status: ++requests === 1 ? 500 : 200 }),
    });
    const feed = join(folder, "feed.txt");
    writeFileSync(feed, "example-bank-first.com\n");
    const { appliance, shift } = await openShifted(
      folder,
      `[webhooks]
allow_http = true
retry_delays = ["${retryDelayMs / 1_000}s", "1h"]
${endpointText("soc", `http://127.0.0.1:${receiver.port}/`)}[[feeds]]
name = "feed"
path = ${JSON.stringify(feed)}`,
    );
    expect(await within(feedMsMax, () => requests === 1), "the first event was not sent");
    appendFileSync(feed, "example-bank-second.com\n");
    shift(seconds);
    const isRetried = await within(retriedMsMax, () => {
      const database = new Database(appliance.databasePath, { readonly: true });
      const { attempts } = database
        .query<{ attempts: number }, []>("SELECT attempts FROM deliveries ORDER BY seq LIMIT 1")
        .get()!;
      database.close();
      return attempts >= 2;
    });
    expect(
      isRetried,
      `the retry after ${retryDelayMs / 1_000} s did not come within ${retriedMsMax / 1_000} s`,
    );
    const isRead = await within(feedMsMax, async () =>
      (await appliance.request("GET", "/v1/threats")).text.includes("example-bank-second.com"),
    );
    expect(isRead, `the feed was not read within ${feedMsMax / 1_000} s`);
    const shown = await shiftOf(appliance);
    expect(Math.abs(shown - seconds) < toleranceSeconds, `the clock did not jump: ${shown.toFixed(0)} s`);
    const { exitCode } = await appliance.stop();
    expect(exitCode === 0, `exit code ${exitCode}`);
    void receiver.stop(true);
    return violations;
  },
}));
