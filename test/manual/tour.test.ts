import { afterEach, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandFolder, quickest } from "../support/command-line.ts";
import { codeBlocks } from "../support/documentation.ts";
import { startNtfyReceiver } from "../support/ntfy-receiver.ts";
import { startReceiver } from "../support/receiver.ts";
import { until } from "../support/until.ts";

// Types what the README and the page First steps tell a newcomer to type, against a real server.

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A running server, with `dist/phishwatch` and `phishwatch` as its commands. */
async function openTour() {
  const folder = commandFolder();
  cleanups.push(folder.dispose);
  const receiver = startReceiver();
  cleanups.push(receiver.stop);
  const chat = startNtfyReceiver();
  cleanups.push(() => chat.stop());
  const server = await folder.serve({ args: ["--print-secrets"] });
  cleanups.push(() => server.stop());
  await until(() => /Try the key[^]*threats\n/.test(server.out()), "the secrets of the first start");
  mkdirSync(join(folder.path, "dist"));
  const program = `#!/bin/sh\nexec ${quickest.map((word) => `'${word}'`).join(" ")} "$@"\n`;
  writeFileSync(join(folder.path, "dist/phishwatch"), program, { mode: 0o755 });
  const key = /pw_\w+/.exec(server.out())![0];
  const api = `${server.url}/v1`;

  async function threats(): Promise<{ id: string; domain: string; status: string }[]> {
    const response = await fetch(`${api}/threats`, { headers: { Authorization: `Bearer ${key}` } });
    return ((await response.json()) as { data: { id: string; domain: string; status: string }[] }).data;
  }

  /** Runs shell code as printed, with the real key, URL, receiver and IDs in place of the samples. */
  async function type(code: string): Promise<string> {
    const ids = (await threats()).map(({ id }) => id);
    const typed = code
      .replaceAll("pw_…", key)
      .replaceAll("http://127.0.0.1:8080", server.url)
      .replaceAll(/https:\/\/soc\.example[\w/]*/g, receiver.url)
      .replaceAll("--type ntfy", `--type ntfy --url ${chat.url}`)
      .replaceAll("--config config.example.toml", "--config phishwatch.toml")
      .replaceAll("thr_…", () => ids.pop() ?? "thr_…");
    const running = Bun.spawn(["sh", "-euc", `export KEY='${key}' API='${api}'\n${typed}`], {
      cwd: folder.path,
      env: { ...process.env, PATH: `${join(folder.path, "dist")}:${process.env["PATH"]}` },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err, exitCode] = await Promise.all([
      new Response(running.stdout).text(),
      new Response(running.stderr).text(),
      running.exited,
    ]);
    expect({ typed, exitCode, out, err }).toMatchObject({ exitCode: 0 });
    expect(out).not.toContain(`"error"`);
    return out;
  }

  return { chat, path: folder.path, server, receiver, threats, type };
}

/** Replaces what differs at each start. */
function withoutSecrets(output: string): string {
  return output
    .replaceAll(/pw_\w+/g, "pw_…")
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:8080")
    .replaceAll(/\b\w{4}(-\w{4}){4}\b/g, "password")
    .trim();
}

describe.each(["README.md", "src/manual/first-steps.md"])("the tour in %s", (file) => {
  test("shows what the first start prints, and its commands record, list and decide on threats, deliver the last one, end with a message in a chat, and leave nothing but data", async () => {
    const tour = await openTour();
    const blocks = codeBlocks(["sh", "console"]).filter((block) => block.file === file);
    let outputs = 0;
    let calls = 0;
    let topic: string | undefined;
    for (const { language, code } of blocks) {
      if (language === "console") {
        const [prompt, ...shown] = code.split("\n");
        const output = shown.join("\n").trim();
        outputs++;
        if (prompt!.includes("./scripts/start"))
          expect(withoutSecrets(output)).toBe(withoutSecrets(tour.server.out()));
        else expect((await tour.type(prompt!.replace("$ ", ""))).trim()).toBe(output);
      } else if (/\b(curl|import|webhooks|channels)\b/.test(code)) {
        topic = /ntfy\.sh\/(\S+)/.exec(await tour.type(code))?.[1] ?? topic;
        calls++;
      }
    }
    expect({ outputs, calls }).toEqual({ outputs: 2, calls: expect.any(Number) });
    expect(calls).toBeGreaterThanOrEqual(3);

    const threats = await tour.threats();
    const domains = [
      "examp1e-bank.com",
      "examp1e-bank.net",
      "example-bank-login.com",
      "example-bank.evil.top",
    ];
    expect(threats.map(({ domain }) => domain).sort()).toEqual(domains);
    expect(threats.filter(({ status }) => status === "resolved")).not.toBeEmpty();
    await until(
      () => tour.receiver.received.some(({ body }) => body.includes("example-bank-login.com")),
      "the delivery of the last threat",
    );
    expect(await tour.type("dist/phishwatch webhooks deliveries")).toMatch(/threat\.created\s+soc\b/);
    expect(readdirSync(tour.path).sort()).toEqual(["data", "dist", "phishwatch.toml"]);
    expect(topic).toMatch(/^phishwatch-[0-9a-f]{16}$/);
    // The page takes the same way; once is enough to wait for it.
    if (file === "README.md") return;
    const told = () => tour.chat.messages.find(({ title }) => title?.includes("example-bank-login[.]com"));
    await until(() => told() !== undefined, "the message about the last threat");
    expect(told()).toMatchObject({ topic, event: "message" });
  }, 60_000);
});
