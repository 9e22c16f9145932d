import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, toIsoTime } from "../../lib/clock.ts";
import { endStartup } from "../../lib/startup.ts";
import { startSandbox } from "../../sandbox/sandbox.ts";
import { demonstrationConfig } from "../../sandbox/settings.ts";
import { demonstrationSeed } from "../../sandbox/world/defaults.ts";
import { openLog } from "../appliance/with-appliance.ts";
import { command } from "../terminal/command.ts";
import { number } from "../terminal/flags.ts";

export const demoCommand = command({
  name: "demo",
  summary: "open the console with three months of sample data, in memory",
  details: `Shows three fictional brands, their look-alikes, and what a team did with them until now. Everything works, but
nothing leaves this machine, and nothing is kept. It listens on 127.0.0.1 only.

Prints the address and the password of the console when it is ready.`,
  flags: {
    port: number(
      "--port <port>",
      { minimum: 0, maximum: 65_535, whole: true },
      "port, or 0 for a free one",
      0,
    ),
  },
  examples: [["phishwatch demo", "run the demonstration until Ctrl-C"]],
  endsStartup: true,
  async run({ options, terminal }) {
    const interrupted = terminal.interruption();
    const ended = new Promise<void>((resolve) =>
      interrupted.addEventListener("abort", () => resolve(), { once: true }),
    );
    const now = systemClock.now();
    const folder = mkdtempSync(join(tmpdir(), `phishwatch-demo-${process.pid}-`));
    try {
      writeFileSync(join(folder, `${toIsoTime(now).slice(0, 10)}.txt`), `${harmlessNames().join("\n")}\n`);
      const config = demonstrationConfig(folder);
      const sandbox = await startSandbox({
        config,
        scanSchedule: null,
        log: await openLog(config, terminal),
        monotonicMs: () => performance.now(),
        seed: demonstrationSeed,
        start: now,
        empty: false,
        isDemonstration: true,
        port: options.port,
        pid: process.pid,
      });
      try {
        const { console_password: password, url } = sandbox.ready;
        terminal.out.write(
          `Open ${url}/console\nPassword: ${password}\n\nPress Ctrl-C to stop. Nothing is kept.\n`,
        );
        terminal.out.flush();
        endStartup();
        await ended;
      } finally {
        sandbox.stop();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

/** Returns names for the feed that resemble no protected domain. */
function harmlessNames(): string[] {
  const places = ["harbor", "meadow", "lake", "hill", "market", "river", "station", "garden"];
  const trades = ["bakery", "bikes", "books", "ceramics", "coffee", "music", "plants", "yoga"];
  const suffixes = ["com", "net", "info", "eu"];
  return places.flatMap((place) =>
    trades.flatMap((trade) => suffixes.map((suffix) => `${place}-${trade}.${suffix}`)),
  );
}
