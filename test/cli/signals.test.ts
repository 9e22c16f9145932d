/** Signals that a server receives while it starts. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { isServed } from "../../src/platform/database/lock.ts";
import { commandFolder, type CommandFolder } from "../support/command-line.ts";
import { holdWriteLock } from "../support/lock-holder.ts";
import { openNotifyReceiver } from "../support/notify-receiver.ts";
import { until } from "../support/until.ts";

let folder: CommandFolder;
beforeEach(() => {
  folder = commandFolder();
  folder.createDatabase();
});
afterEach(() => folder.dispose());

function startServer(env: Record<string, string> = {}) {
  const running = folder.start(["serve"], { env });
  const [out, err] = [createText(running.stdout), createText(running.stderr)];
  return {
    running,
    out,
    async expectReload() {
      await err.contains("configuration reloaded");
      running.kill("SIGTERM");
      expect(await running.exited).toBe(0);
    },
  };
}

function createText(stream: ReadableStream<Uint8Array>) {
  let text = "";
  let added = Promise.withResolvers<void>();
  void (async () => {
    const decoder = new TextDecoder();
    for await (const piece of stream) {
      text += decoder.decode(piece, { stream: true });
      added.resolve();
      added = Promise.withResolvers();
    }
  })();
  return {
    /** Resolves in the moment in which the text arrives. */
    async contains(part: string) {
      while (!text.includes(part)) await added.promise;
    },
  };
}

test("SIGHUP in the moment in which the line is printed that the server is ready reloads its configuration", async () => {
  const { running, out, expectReload } = startServer();
  await out.contains("phishwatch is ready on");
  running.kill("SIGHUP");
  await expectReload();
});

test.skipIf(process.platform !== "linux")(
  "SIGHUP in the moment in which the service manager is notified of readiness reloads the configuration",
  async () => {
    const receiver = openNotifyReceiver(join(folder.path, "notify"));
    const { running, expectReload } = startServer({ NOTIFY_SOCKET: receiver.name });
    while (!receiver.received().includes("READY=1")) await new Promise((next) => setImmediate(next));
    running.kill("SIGHUP");
    await expectReload();
    receiver.close();
  },
);

test("SIGHUP while the start waits for the database reloads the configuration once the server is ready", async () => {
  const path = join(folder.path, "data/test.db");
  const holder = await holdWriteLock(path);
  const { running, expectReload } = startServer();
  await until(() => isServed(path) === true, "it starts");
  running.kill("SIGHUP");
  await holder.release();
  await expectReload();
});
