import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandFolder, forms, quickestForm } from "../support/command-line.ts";
import { speakWith, type Ready } from "../support/sandbox.ts";
import { until } from "../support/until.ts";

const folder = commandFolder("");
afterAll(folder.dispose);
/** Guards against waiting for deliveries in flight, which a server in production does for 10 s. */
const exitMsMax = 9_000;
const linux = existsSync("/proc/self/smaps_rollup");

/** Starts a sandbox and waits for its ready line. */
async function start(args: string[] = [], command = forms.at(-1)!.command, env: Record<string, string> = {}) {
  const running = folder.start(["sandbox", ...args], { command, env });
  let out = "";
  const decoder = new TextDecoder();
  const reader = running.stdout.getReader();
  while (!out.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the sandbox exited: ${await new Response(running.stderr).text()}`);
    out += decoder.decode(value, { stream: true });
  }
  const ready = JSON.parse(out) as Ready;
  return {
    ...speakWith(ready),
    running,
    async rest() {
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return rest;
        rest += decoder.decode(value, { stream: true });
      }
    },
  };
}

describe.each(forms)("phishwatch sandbox ($form)", ({ command }) => {
  test("prints one ready line, writes it to the ready file, exits at once on SIGTERM, and leaves no files", async () => {
    const before = readdirSync(tmpdir());
    const readyFile = join(folder.path, "ready.json");
    const { ready, running, rest, api, control } = await start(["--ready-file", "ready.json"], command);
    expect(ready.base_url).toBe(`${ready.url}/v1`);
    expect(ready.control_url).toBe(`${ready.url}/sandbox`);
    expect(ready.pid).toBe(running.pid);
    expect(JSON.parse(readFileSync(readyFile, "utf8"))).toEqual(ready);
    expect(readdirSync(folder.path)).toEqual(["ready.json"]);
    expect((await api("GET", "/v1/threats")).json.meta.total).toBe(137);

    // A delivery in flight does not delay the exit.
    await control("POST", "/webhooks", { inbox: "soc" });
    await control("POST", "/inbox/soc/failures", { silence: true });
    await control("POST", "/threats", {});
    const begun = performance.now();
    running.kill("SIGTERM");
    expect(await running.exited).toBe(0);
    expect(performance.now() - begun).toBeLessThan(exitMsMax);
    expect(await rest()).toBe("");
    expect(await new Response(running.stderr).text()).toBe("");
    expect(readdirSync(folder.path)).toEqual([]);
    const left = readdirSync(tmpdir()).filter(
      (name) => !before.includes(name) && /phishwatch\.|sqlite|\.db/.test(name),
    );
    expect(left).toEqual([]);
  });
});

describe.each(quickestForm)("phishwatch sandbox ($form)", ({ command }) => {
  test("applies the options for seed, time and empty data", async () => {
    const first = await start(["--seed", "9", "--time", "2030-01-01"], command);
    const empty = await start(["--empty"], command);
    expect([first.ready.seed, first.ready.time]).toEqual([9, "2030-01-01T00:00:00.000Z"]);
    const [threat] = (await first.api("GET", "/v1/threats?per_page=1")).json.data;
    expect(threat.first_seen).toStartWith("2029-12-");
    expect((await empty.api("GET", "/v1/threats")).json.meta.total).toBe(0);
    for (const { running } of [first, empty]) {
      running.kill();
      await running.exited;
    }
  });

  test("reports an invalid option, a ready file that cannot be written, and a port that is in use", async () => {
    const { code, err } = await folder.run(["sandbox", "--seed", "x"], { command });
    expect([code, err]).toEqual([2, expect.stringContaining("--seed must be a whole number")]);
    const unwritten = await folder.run(["sandbox", "--ready-file", folder.path], { command });
    expect([unwritten.code, unwritten.err]).toEqual([
      1,
      expect.stringContaining("the ready file cannot be written"),
    ]);
    const { ready, running } = await start([], command);
    const port = new URL(ready.url).port;
    const second = await folder.run(["sandbox", "--port", port], { command });
    expect([second.code, second.err]).toEqual([
      1,
      expect.stringContaining("the port is already in use by another program"),
    ]);
    running.kill();
    await running.exited;
  });
});

test.skipIf(forms.length === 1)(
  "the executable starts with exactly the data that the sources generate",
  async () => {
    const all = await Promise.all(forms.map(({ command }) => start([], command)));
    const seen = await Promise.all(
      all.map(async ({ api, control }) => {
        const pages = await Promise.all(
          [1, 2].map((page) => api("GET", `/v1/threats?per_page=100&page=${page}`)),
        );
        const made = await control("POST", "/threats", { count: 2 });
        await control("POST", "/reset");
        return { threats: pages.flatMap(({ json }) => json.data.map(withoutPort)), made };
      }),
    );
    expect(seen[0]!.threats).toHaveLength(137);
    expect(seen[0]).toEqual(seen[1]!);
    for (const { running } of all) running.kill();
    await Promise.all(all.map(({ running }) => running.exited));
  },
);

function withoutPort(threat: { screenshot_url: string }) {
  return { ...threat, screenshot_url: threat.screenshot_url.replace(/:\d+/, "") };
}

test("a sandbox exits when the process that started it exits", async () => {
  const command = forms
    .at(-1)!
    .command.map((word) => `'${word}'`)
    .join(" ");
  const readyFile = join(folder.path, "orphan.json");
  // The shell is the parent, and is killed.
  const shell = Bun.spawn(
    ["sh", "-c", `${command} sandbox --exit-with-parent --ready-file orphan.json >/dev/null & wait`],
    {
      cwd: folder.path,
      stdio: ["ignore", "ignore", "ignore"],
    },
  );
  await until(() => existsSync(readyFile), "it is ready");
  const { pid } = JSON.parse(readFileSync(readyFile, "utf8")) as Ready;
  expect(isAlive(pid)).toBe(true);
  shell.kill("SIGKILL");
  await until(() => !isAlive(pid), "it has ended");
  expect(existsSync(readyFile)).toBe(false);
});

test("a sandbox applies the keys and limits of a configuration file, but not its storage and lookups", async () => {
  const config = folder.file(
    "mine.toml",
    `
[server]
listen = "0.0.0.0:1"
[storage]
path = "mine.db"
[api]
max_per_page = 7
[webhooks]
retry_delays = ["1s"]
[[protected_domains]]
domain = "my-own.example"
[[api_keys]]
name = "ci"
key = "a-key-of-twenty-characters-or-more"
`,
  );
  const { ready, running, api, advance, control, inbox } = await start(["--config", config]);
  expect(ready.url).toStartWith("http://127.0.0.1:");
  const mine = "a-key-of-twenty-characters-or-more";
  expect((await api("GET", "/v1/threats?per_page=7", undefined, mine)).status).toBe(200);
  expect((await api("GET", "/v1/threats?per_page=8", undefined, mine)).status).toBe(400);
  await control("POST", "/webhooks", { inbox: "soc", events: ["threat.created"] });
  await control("POST", "/inbox/soc/failures", { status: 500, times: 9 });
  const { data } = await control("POST", "/threats", { protected_domain: "my-own.example" });
  expect(data[0].protected_domain).toBe("my-own.example");
  await inbox("soc", "?wait=20s");
  await advance("1h");
  expect((await inbox("soc")).data).toHaveLength(2);
  running.kill();
  await running.exited;
  rmSync(config);
  expect(readdirSync(folder.path)).toEqual([]);
});

test("a scan runs on the schedule of the configuration file when the clock reaches it, over the sandbox's own DNS", async () => {
  const config = folder.file("scheduled.toml", `[scan]\nschedule = "0 3 * * *"\n`);
  const { running, advance, control, inbox } = await start(["--config", config, "--empty"]);
  await control("POST", "/webhooks", { inbox: "soc", events: ["scan.started", "scan.completed"] });
  await advance("1d");
  const { data } = await inbox("soc", "?wait=20s&count=2");
  expect(data.map(({ type, event }) => [type, event.data.scan.trigger])).toEqual([
    ["scan.started", "schedule"],
    ["scan.completed", "schedule"],
  ]);
  expect(data[1]!.event.data.scan).toMatchObject({
    status: "completed",
    started_at: "2026-01-16T03:00:00.000Z",
  });
  running.kill();
  await running.exited;
  rmSync(config);
});

test("eight sandboxes can start at the same time", async () => {
  const all = await Promise.all(Array.from({ length: 8 }, (_, seed) => start(["--seed", String(seed)])));
  try {
    expect(new Set(all.map(({ ready }) => ready.url)).size).toBe(8);
    const totals = await Promise.all(
      all.map(async ({ api }) => (await api("GET", "/v1/threats")).json.meta.total),
    );
    expect(totals).toEqual(Array.from({ length: 8 }, () => 137));
    await all[0]!.control("POST", "/threats", {});
    expect((await all[1]!.api("GET", "/v1/threats")).json.meta.total).toBe(137);
    if (linux) for (const { ready } of all) expect(listensBeside(ready.pid)).toEqual([]);
  } finally {
    for (const { running } of all) running.kill();
    await Promise.all(all.map(({ running }) => running.exited));
  }
}, 60_000);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !linux || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Returns the addresses other than 127.0.0.1 on which a process listens or to which it is connected. */
function listensBeside(pid: number): string[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
  return ["tcp", "tcp6", "udp", "udp6"].flatMap((kind) =>
    readFileSync(`/proc/${pid}/net/${kind}`, "utf8")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => inodes.has(fields[9] ?? "") && !fields[1]!.startsWith("0100007F:"))
      .map((fields) => `${kind} ${fields[1]}`),
  );
}
