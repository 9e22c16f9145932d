import { readablePassword } from "../../access/console/password.ts";
import { systemClock } from "../../platform/lib/clock.ts";
import { endStartup } from "../../platform/lib/startup.ts";
import { startDemonstration } from "../../sandbox/demonstration.ts";
import { defaultConfig } from "../../sandbox/settings.ts";
import { entryText } from "../appliance/first-secrets.ts";
import { openLog } from "../appliance/open-log.ts";
import { command } from "../terminal/command.ts";
import { number } from "../terminal/flags.ts";

export const demoCommand = command({
  name: "demo",
  flags: { port: number("--port <port>", { minimum: 0, maximum: 65_535, whole: true }, 0) },
  endsStartup: true,
  async run({ options, terminal }) {
    const interrupted = terminal.interruption();
    const ended = new Promise<void>((resolve) => {
      interrupted.addEventListener("abort", () => resolve(), { once: true });
      // The terminal was closed.
      process.once("SIGHUP", () => resolve());
    });
    const sandbox = await startDemonstration({
      log: openLog(defaultConfig(), terminal),
      monotonicMs: () => performance.now(),
      realNow: systemClock.now,
      // Other users of this machine can reach the port.
      password: readablePassword((bytes) => void crypto.getRandomValues(bytes)),
      pid: process.pid,
      port: options.port,
      start: systemClock.now(),
    });
    try {
      const { console_password: password, url } = sandbox.ready;
      terminal.out.write(
        `${entryText({ consoleUrl: url, password })}\nPress Ctrl-C to stop. Nothing is kept.\n`,
      );
      terminal.out.flush();
      endStartup();
      await ended;
    } finally {
      sandbox.stop();
    }
  },
});
