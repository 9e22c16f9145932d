import { renameSync, rmSync, writeFileSync } from "node:fs";
import { readPrebuiltDatabase } from "../../sandbox/prebuilt.ts";
import { startSandbox } from "../../sandbox/sandbox.ts";
import { defaultConfig, scheduleOf } from "../../sandbox/settings.ts";
import { defaultSeed, defaultStart } from "../../sandbox/world/world.ts";
import { endStartup } from "../../lib/startup.ts";
import { FailedError } from "../terminal/failure.ts";
import { command } from "../terminal/command.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { number, text, time, toggle } from "../terminal/flags.ts";
import { printJson } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { openLog } from "../appliance/with-appliance.ts";

const seedMax = 4_294_967_295;
const parentLookMs = 200;

export const sandboxCommand = command({
  name: "sandbox",
  summary: "run everything in memory with sample data and known keys, for integration tests",
  details: `Prints one JSON line once it answers: addresses, keys, and where it is controlled. It listens on 127.0.0.1 alone,
opens no connection to the outside by itself and leaves nothing behind. The clock stands still until it is moved.

The README tells what is in it and what can be done with it.`,
  flags: {
    port: number(
      "--port <port>",
      { minimum: 0, maximum: 65_535, whole: true },
      "port; 0 takes a free one",
      0,
    ),
    readyFile: text("--ready-file <file>", "also write the JSON line there, in one step; removed at the end"),
    seed: number(
      "--seed <number>",
      { minimum: 0, maximum: seedMax, whole: true },
      "chooses identifiers, times and facts of the sample data",
      1,
    ),
    empty: toggle("--empty", "without threats"),
    time: time("--time <time>", "what the clock shows at the start (default: 2026-01-15T12:00:00Z)"),
    config: text("--config <file>", "configuration to take over; look-ups and storage stay off"),
    exitWithParent: toggle("--exit-with-parent", "end when the process that started it ends"),
  },
  examples: [
    ["phishwatch sandbox", "run it until Ctrl-C"],
    ["phishwatch sandbox --ready-file ready.json --exit-with-parent &", "start it from a test"],
  ],
  getsReady: true,
  async run({ options, terminal }) {
    const ended = endOf(terminal, options.exitWithParent);
    const given =
      options.config === undefined ? undefined : await loadConfiguration(options.config, terminal.env);
    const config = given ?? defaultConfig();
    const { config: file, seed, time: start, empty } = options;
    const isDefault = file === undefined && seed === defaultSeed && start === undefined && !empty;
    const sandbox = await startSandbox({
      config,
      scanSchedule: scheduleOf(config),
      log: await openLog(config, terminal),
      monotonicMs: () => performance.now(),
      seed: options.seed,
      start: options.time ?? defaultStart,
      empty: options.empty,
      prebuilt: isDefault ? readPrebuiltDatabase() : undefined,
      port: options.port,
      pid: process.pid,
    });
    const { readyFile } = options;
    try {
      if (readyFile !== undefined) writeInOneStep(readyFile, `${JSON.stringify(sandbox.ready)}\n`);
      printJson(terminal.out, sandbox.ready);
      terminal.out.flush();
      endStartup();
      await ended;
    } finally {
      sandbox.stop();
      if (readyFile !== undefined) rmSync(readyFile, { force: true });
    }
  },
});

/** Kept when a signal asks for the end, or when the parent process has ended. */
function endOf(terminal: Terminal, withParent: boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  terminal.interruption().addEventListener("abort", () => resolve(), { once: true });
  if (withParent) {
    const parent = process.ppid;
    // Whose parent has ended is given to another process.
    setInterval(() => process.ppid !== parent && resolve(), parentLookMs);
  }
  return promise;
}

/** Whoever waits for the file never reads half of it. */
function writeInOneStep(path: string, content: string): void {
  const staging = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(staging, content, { mode: 0o600 });
    renameSync(staging, path);
  } catch (error) {
    rmSync(staging, { force: true });
    throw new FailedError(`the ready file cannot be written: ${(error as Error).message}`);
  }
}
