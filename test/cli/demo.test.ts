import { afterAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { commandFolder, quickest } from "../support/command-line.ts";
import { until } from "../support/until.ts";

const folder = commandFolder("");
afterAll(folder.dispose);

test("phishwatch demo prints the address, the account and a random password of a console, and leaves no files", async () => {
  const running = folder.start(["demo"], { command: quickest });
  let out = "";
  const decoder = new TextDecoder();
  const reader = running.stdout.getReader();
  while (!out.includes("Ctrl-C")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the demonstration exited: ${await new Response(running.stderr).text()}`);
    out += decoder.decode(value, { stream: true });
  }
  const [, address = ""] =
    /^Console: {3}(http:\/\/127\.0\.0\.1:\d+)\/console\nAccount: {3}admin\nPassword: {2}[0-9a-z]{4}(?:-[0-9a-z]{4}){4}\n/.exec(
      out,
    ) ?? [];
  expect((await fetch(`${address}/readyz`)).status).toBe(200);
  running.kill("SIGINT");
  await until(() => running.exitCode !== null, "it has ended");
  expect(running.exitCode).toBe(0);
  expect(readdirSync(folder.path)).toEqual([]);
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`phishwatch-demo-${running.pid}-`))).toEqual(
    [],
  );
});
