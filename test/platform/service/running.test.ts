import { afterEach, beforeEach, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandFolder, type CommandFolder, defaultConfig } from "../../support/command-line.ts";

let folder: CommandFolder;
beforeEach(() => void (folder = commandFolder()));
afterEach(() => folder.dispose());

const isRunning = (...args: string[]) => folder.run(["check", "--running", ...args]);

test("`check --running` succeeds while the appliance is ready, and fails when it is not or has ended", async () => {
  const server = await folder.serve();
  expect(await isRunning("--url", server.url)).toEqual({ code: 0, out: `ready: ${server.url}/\n`, err: "" });
  writeFileSync(
    join(folder.path, "phishwatch.toml"),
    defaultConfig.replace("127.0.0.1:0", new URL(server.url).host.replace("127.0.0.1", "0.0.0.0")),
  );
  // A proxy for the internet does not matter.
  const own = await folder.run(["check", "--running", "--json"], {
    env: { HTTP_PROXY: "http://127.0.0.1:9" },
  });
  expect(JSON.parse(own.out)).toEqual({
    ready: true,
    url: server.url,
    checks: { database: "ok", disk: "ok", schedulers: "ok" },
  });
  await server.stop();
  const { code, err } = await isRunning();
  expect([code, err]).toEqual([1, expect.stringContaining(`no appliance responds at ${server.url}: `)]);
});

test("`check --running --url` needs no configuration, so that a mistake in it leaves containers healthy", async () => {
  const server = await folder.serve();
  writeFileSync(join(folder.path, "phishwatch.toml"), "[server]\nlisten = 8080\n");
  expect((await isRunning("--url", server.url)).code).toBe(0);
  expect((await isRunning()).code).toBe(2);
  await server.stop();
});

test("`check --running` prints what is not ready", async () => {
  const checks = { database: "its file is damaged", disk: "ok", schedulers: "not running" };
  using receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    routes: {
      "/readyz": () => Response.json({ status: "unavailable", checks }, { status: 503 }),
      "/other/readyz": () => new Response("hello"),
    },
  });
  const url = receiver.url.origin;
  expect(await isRunning("--url", url)).toEqual({
    code: 1,
    out: "database: its file is damaged\nschedulers: not running\n",
    err: `phishwatch: the appliance at ${url}/ is not ready\n`,
  });
  const other = await isRunning("--url", `${url}/other`);
  expect([other.code, other.err]).toEqual([
    1,
    expect.stringContaining("the response is not that of phishwatch"),
  ]);
});

test("`check --running` rejects options and settings that it cannot use", async () => {
  const port = await isRunning();
  expect([port.code, port.err]).toEqual([1, expect.stringContaining("use --url")]);
  for (const args of [
    ["--running", "--ping"],
    ["--url", "http://127.0.0.1:1"],
    ["--running", "--url", "localhost"],
  ])
    expect((await folder.run(["check", ...args])).code).toBe(2);
});
