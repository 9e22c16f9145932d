/**
 * Fills the disk of a running server, and makes room again. Must run where the folder `data` is a disk of its own.
 * Prints what it saw as JSON. Argument: `FullDiskPlan` as JSON.
 */
import { rmSync, writeSync, openSync, closeSync } from "node:fs";
import { join } from "node:path";
import { until } from "./until.ts";

export interface FullDiskPlan {
  folder: string;
  /** Command that starts phishwatch. */
  command: string[];
  key: string;
  password: string;
}

const plan = JSON.parse(process.argv[2]!) as FullDiskPlan;
const { folder, command, key, password } = plan;
const filler = join(folder, "data/filler");
/** Submissions to the full disk. */
const refusedTimes = 20;

async function serve() {
  const child = Bun.spawn([...command, "serve"], { cwd: folder, stdout: "pipe", stderr: "pipe" });
  let out = "";
  const err = new Response(child.stderr).text();
  void (async () => {
    for await (const piece of child.stdout) out += new TextDecoder().decode(piece);
  })();
  await until(() => /ready on \S+\n/.test(out), "serve is ready");
  return { child, url: /ready on (\S+)\n/.exec(out)![1]!, err };
}

const headers = { authorization: `Bearer ${key}`, "content-type": "text/plain" };
let server = await serve();
let submitted = 0;
const submit = async (count: number) => {
  const names = Array.from({ length: count }, () => `example-bank-${submitted++}.com`);
  const request = { method: "POST", headers, body: names.join("\n") };
  return (await fetch(`${server.url}/v1/candidates`, request)).status;
};
const readiness = async () => {
  const response = await fetch(`${server.url}/readyz`);
  const { checks } = (await response.json()) as { checks: { database: string; disk: string } };
  return { status: response.status, checks };
};
const metric = async (name: string) => {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return text
    .split("\n")
    .find((line) => line.startsWith(`${name} `))
    ?.slice(name.length + 1);
};

async function fill(): Promise<void> {
  const descriptor = openSync(filler, "a");
  for (let bytes = 1 << 20; bytes >= 1;) {
    try {
      writeSync(descriptor, Buffer.alloc(bytes));
    } catch {
      bytes >>= 1;
    }
  }
  closeSync(descriptor);
}

async function signIn() {
  const form = await fetch(`${server.url}/console/sign-in`);
  const cookie = form.headers
    .getSetCookie()
    .map((text) => text.split(";")[0])
    .join("; ");
  const token = /name="form_token" value="([^"]+)"/.exec(await form.text())![1]!;
  const response = await fetch(`${server.url}/console/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: { cookie, origin: server.url, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ form_token: token, password }).toString(),
  });
  return { status: response.status, text: (await response.text()).replaceAll(/<[^>]*>/g, " ") };
}

const count = (log: string, message: string) => log.split(`"message":"${message}"`).length - 1;

const first = await submit(100);
await fill();
let refused = 0;
await until(async () => {
  refused = await submit(100);
  return refused !== 200;
}, "a submission is refused");
const full = await readiness();
for (let times = 0; times < refusedTimes; times += 1) await submit(100);
const check = Bun.spawnSync([...command, "check"], { cwd: folder });
const seen = {
  first,
  refused,
  reads: (await fetch(`${server.url}/v1/threats`, { headers })).status,
  ready: full.status,
  database: full.checks.database,
  disk: full.checks.disk,
  metrics: {
    ready: await metric("phishwatch_ready"),
    free: Number(await metric("phishwatch_disk_free_bytes")),
  },
  check: { code: check.exitCode, disk: /^.*disk: .*$/m.exec(check.stdout.toString())?.[0] },
  signIn: await signIn(),
};
const failed = Number(await metric('phishwatch_database_errors_total{code="SQLITE_FULL"}'));
rmSync(filler);
await until(async () => (await readiness()).checks.database === "ok", "the database works again", 30_000);
const later = { submit: await submit(10), signIn: (await signIn()).status };
server.child.kill("SIGTERM");
await server.child.exited;
const log = await server.err;
server = await serve();
const restarted = (await fetch(`${server.url}/v1/threats`, { headers })).status;
server.child.kill("SIGTERM");
await server.child.exited;
process.stdout.write(
  JSON.stringify({
    ...seen,
    later: { ...later, restarted },
    failed,
    // A change that is small enough can succeed in between: the error ends, and begins again.
    logged: count(log, "database error"),
    ended: count(log, "database works again"),
  }),
);
