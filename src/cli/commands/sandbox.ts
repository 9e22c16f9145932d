import { renameSync, rmSync, writeFileSync } from "node:fs";
import { systemClock } from "../../platform/lib/clock.ts";
import { endStartup } from "../../platform/lib/startup.ts";
import { startSandbox } from "../../sandbox/sandbox.ts";
import { defaultConfig } from "../../sandbox/settings.ts";
import { defaultStart } from "../../sandbox/world/samples.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { openLog } from "../appliance/open-log.ts";
import { command, FailedError } from "../terminal/command.ts";
import { number, text, time, toggle } from "../terminal/flags.ts";
import { printJson } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

const seedMax = 4_294_967_295;
const parentPollMs = 200;

export const sandboxCommand = command({
  name: "sandbox",
  flags: {
    port: number("--port <port>", { minimum: 0, maximum: 65_535, whole: true }, 0),
    readyFile: text("--ready-file <file>"),
    seed: number("--seed <number>", { minimum: 0, maximum: seedMax, whole: true }, 1),
    empty: toggle("--empty"),
    time: time("--time <time>"),
    config: text("--config <file>"),
    exitWithParent: toggle("--exit-with-parent"),
  },
  endsStartup: true,
  async run({ options, terminal }) {
    const ended = endOf(terminal, options.exitWithParent);
    const given =
      options.config === undefined ? undefined : await loadConfiguration(options.config, terminal.env);
    const config = given ?? defaultConfig();
    const sandbox = await startSandbox({
      config,
      log: openLog(config, terminal),
      monotonicMs: () => performance.now(),
      realNow: systemClock.now,
      seed: options.seed,
      start: options.time ?? defaultStart,
      empty: options.empty,
      port: options.port,
      pid: process.pid,
    });
    const { readyFile } = options;
    let removeReadyFile = () => {};
    try {
      if (readyFile !== undefined) {
        writeAtomically(readyFile, `${JSON.stringify(sandbox.ready)}\n`);
        removeReadyFile = () => rmSync(readyFile, { force: true });
      }
      printJson(terminal.out, sandbox.ready);
      terminal.out.flush();
      endStartup();
      await ended;
    } finally {
      sandbox.stop();
      removeReadyFile();
    }
  },
});

/** Resolves on SIGINT or SIGTERM, or when the parent process exits. */
function endOf(terminal: Terminal, withParent: boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  terminal.interruption().addEventListener("abort", () => resolve(), { once: true });
  if (withParent) {
    const parent = process.ppid;
    // An orphaned process is re-parented, so a changed parent id means that the parent exited.
    setInterval(() => process.ppid !== parent && resolve(), parentPollMs);
  }
  return promise;
}

/** Writes a file atomically, so that a waiting reader never sees half of it. */
function writeAtomically(path: string, content: string): void {
  const staging = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(staging, content, { mode: 0o600 });
    renameSync(staging, path);
  } catch (error) {
    rmSync(staging, { force: true });
    throw new FailedError(`the ready file cannot be written: ${(error as Error).message}`);
  }
}
