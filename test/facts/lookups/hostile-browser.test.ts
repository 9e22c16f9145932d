import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../support/appliance.ts";
import { findChromium } from "../../support/chromium.ts";
import { ownNetwork } from "../../support/own-network.ts";

const network = ownNetwork();
const chromium = findChromium();

test.skipIf(network === undefined || chromium === undefined)(
  "a hostile page reaches no private network by image, fetch, beacon, socket, frame, window, WebRTC or worker",
  async () => {
    const folder = temporaryFolder();
    const args = process.getuid?.() === 0 || network!.includes("--map-root-user") ? ["--no-sandbox"] : [];
    const world = Bun.spawn(
      [
        ...network!,
        process.execPath,
        join(import.meta.dir, "../../support/hostile-browser-world.ts"),
        JSON.stringify({ chromium, args, folder: folder.path }),
      ],
      { stdio: ["ignore", "pipe", "inherit"], timeout: 90_000 },
    );
    const seen = JSON.parse(await new Response(world.stdout).text());
    folder.dispose();
    // The page ran completely, and the hosts that it names were resolved before they were rejected.
    expect(seen.hits).toContain("/script-ran");
    expect(seen.asked).toContain("inside.example");
    expect(seen.reached).toEqual([]);
    const [hostile, greedy, after] = seen.captures;
    expect(hostile).toEqual({ ok: true, url: "http://examp1e-bank.com/", bytes: expect.any(Number) });
    // A page that takes all memory is given up before the machine has none left, and the next screenshot succeeds.
    expect(greedy).toEqual({ ok: false, reason: "its page takes more than 2048 MiB of memory" });
    expect(after.ok).toBe(true);
  },
  100_000,
);
