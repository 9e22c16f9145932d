/** Runs commands as process 1 of a PID namespace, as in a container, where the system drops signals without a handler. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { commandFolder, quickest, type CommandFolder } from "../support/command-line.ts";
import { until } from "../support/until.ts";

const prefix = ownProcesses();
let folder: CommandFolder;
beforeEach(() => void (folder = commandFolder()));
afterEach(() => folder.dispose());

/** Returns the arguments that run a command as process 1; undefined without the right to create a namespace. */
function ownProcesses(): string[] | undefined {
  if (process.platform !== "linux" || Bun.which("unshare") === null) return undefined;
  const isRoot = process.getuid?.() === 0;
  const args = [
    "unshare",
    ...(isRoot ? [] : ["--user", "--map-root-user"]),
    "--pid",
    "--fork",
    "--kill-child",
  ];
  return Bun.spawnSync([...args, "true"]).exitCode === 0 ? args : undefined;
}

test.skipIf(prefix === undefined)("SIGTERM ends a command that is process 1", async () => {
  const running = folder.start(["match", "-"], { command: [...prefix!, ...quickest] });
  // The command waits for more names.
  await running.stdin.write("example-bank-login.com\nexample.org\n");
  await running.stdin.flush();
  const { value } = await running.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toContain("example-bank-login.com");
  const children = readFileSync(`/proc/${running.pid}/task/${running.pid}/children`, "utf8");
  process.kill(Number(children), "SIGTERM");
  await until(() => running.exitCode !== null, "it ended");
  expect(running.exitCode).toBe(143);
});
