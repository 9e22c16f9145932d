import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runInProcess } from "../../../support/run-in-process.ts";
import { analyst } from "../../../support/stores.ts";
import { openTakedownWorld, reportOf } from "../../../support/takedowns.ts";

test("`takedowns` lists the reports with their next step, and prints the figures", async () => {
  const world = openTakedownWorld();
  try {
    const { addThreat, clock, path, setSite, takedowns } = world;
    const config = join(dirname(path), "phishwatch.toml");
    writeFileSync(
      config,
      `[storage]\npath = ${JSON.stringify(path)}\n[[protected_domains]]\ndomain = "example-bank.com"\n[[protected_domains]]\ndomain = "example-shop.com"\n`,
    );
    const ids = [addThreat("exarnple-bank.com"), addThreat("example-bamk.com")];
    for (const id of ids) setSite(id, "up");
    const recipient = { kind: "hoster" as const, name: "Host\u001b[2J", source: { from: "list" as const } };
    takedowns.add(reportOf(ids, "PW-00000001", { method: "manual", messageId: null, recipient }), {
      by: analyst,
    });
    clock.advance(3_600_000);
    setSite(ids[0]!, "down");
    const run = (...args: string[]) => runInProcess(["takedowns", ...args, "--config", config]);

    const listed = await run("list");
    // The time of the command is long after the follow-up time.
    expect([listed.code, listed.out]).toEqual([
      0,
      expect.stringMatching(
        /PW-00000001 .*example-bamk\.com and 1 more +Host\\u\{1b\}\[2J +manual +1\/2 +follow_up/,
      ),
    ]);
    expect((await run("list", "--show", "open", "--limit", "1")).out).toContain("PW-00000001");
    expect(JSON.parse((await run("list", "--json")).out)).toMatchObject({
      reference: "PW-00000001",
      recipient: { kind: "hoster", source: { from: "list" } },
      next: "follow_up",
      threats: [
        { domain: "example-bamk.com", outcome: "open", ms_to_down: null },
        { domain: "exarnple-bank.com", outcome: "down", down_state: "down", ms_to_down: 3_600_000 },
      ],
    });
    expect((await run("stats")).out).toMatch(/median time to down +60 min/);
    expect(JSON.parse((await run("stats", "--json")).out)).toMatchObject({
      total: { reported: 2, down: 1, median_ms: 3_600_000, open: 1, came_back: 0 },
      protected_domains: [{ name: "example-bank.com", reported: 2 }],
      slowest: [{ domain: "example-bamk.com" }],
    });
  } finally {
    world.dispose();
  }
});
