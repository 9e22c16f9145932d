import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findLockHolder } from "../../src/platform/database/lock-watch.ts";
import { commandFolder, defaultConfig } from "../support/command-line.ts";
import { holdWriteLock } from "../support/lock-holder.ts";
import { startReceiver, type Receiver } from "../support/receiver.ts";
import { until } from "../support/until.ts";

// A server whose database another process holds locked.

const key = "a-key-for-the-tests-of-locks-0123456789";
const password = "correct horse battery staple";
const timeoutMs = 120_000;
const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

async function startServer({ receiver }: { receiver?: Receiver } = {}) {
  const endpoint =
    receiver === undefined
      ? ""
      : `[[webhooks.endpoints]]\nname = "soc"\nurl = "${receiver.url}"\nsecret = "a-secret-for-tests"\n`;
  const folder = commandFolder(
    `${defaultConfig}${endpoint}
[[api_keys]]
name = "test"
key = "${key}"
plan = "enterprise"
scopes = ["threats:read", "threats:write", "candidates:write"]
[console]
password = "${password}"
[log]
format = "json"
`,
  );
  cleanup.push(folder.dispose);
  folder.createDatabase();
  const server = await folder.serve();
  cleanup.push(async () => {
    server.process.kill("SIGKILL");
    await server.process.exited;
  });
  const path = join(folder.path, "data/test.db");
  const api = (method: string, at: string, body?: unknown) =>
    fetch(`${server.url}${at}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    folder,
    server,
    path,
    api,
    async submit(...domains: string[]): Promise<string[]> {
      const response = await api("POST", "/v1/candidates", { domains });
      expect(response.status).toBe(200);
      const { data } = (await response.json()) as { data: { matches: { threat_id: string }[] }[] };
      return data.flatMap(({ matches }) => matches.map(({ threat_id: id }) => id));
    },
    async statusOf(id: string): Promise<string> {
      const { data } = (await (await api("GET", `/v1/threats/${id}`)).json()) as { data: { status: string } };
      return data.status;
    },
    async hold() {
      const holder = await holdWriteLock(path);
      cleanup.push(holder.release);
      return holder;
    },
    query<Row>(text: string): Row[] {
      const database = new Database(path, { readonly: true });
      try {
        return database.query<Row, []>(text).all();
      } finally {
        database.close();
      }
    },
    entries: (code: string) =>
      server
        .err()
        .split("\n")
        .filter((line) => line.includes(`"code":"${code}"`))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

test(
  "A locked database does not stop reads, health checks and pages, and a change is rejected after a second",
  async () => {
    const world = await startServer();
    const [id] = await world.submit("examp1e-bank.com");
    const read = async () => {
      for (const at of ["/v1/threats", "/healthz", "/console/sign-in", `/v1/threats/${id}`, "/t/unknown"])
        expect((await world.api("GET", at)).status).toBeLessThan(500);
    };
    // The first request of each kind loads what later ones need.
    await read();
    const holder = await world.hold();
    const startedAt = performance.now();
    let ended = false;
    const change = world
      .api("PATCH", `/v1/threats/${id}`, { status: "resolved" })
      .finally(() => (ended = true));
    const batch = world.api("POST", "/v1/threats/batch", { ids: [id], action: "resolve" });
    const submission = world.api("POST", "/v1/candidates", { domains: ["example-bank.net"] });
    // Each read needs several turns of the event loop, and precedes the response to the change.
    await read();
    expect(ended).toBe(false);
    const response = await change;
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    for (const each of [response, await batch, await submission]) {
      expect(each.status).toBe(500);
      expect(each.headers.get("retry-after")).toBe("1");
      const { error } = (await each.json()) as { error: { code: string; message: string } };
      expect(error.code).toBe("internal_error");
      expect(error.message).not.toMatch(/sqlite|lock|pid|\d{3,}/i);
    }
    await until(() => world.entries("database_locked").length > 0, "the lock is logged");
    await world.api("PATCH", `/v1/threats/${id}`, { status: "resolved" });
    expect(world.entries("database_locked")).toMatchObject([{ level: "error", pid: holder.pid }]);
    expect((await world.api("GET", "/readyz")).status).toBe(503);
    expect(await (await world.api("GET", "/metrics")).text()).toContain("\nphishwatch_database_ok 0\n");
    expect(await world.statusOf(id!)).toBe("active");
    expect(world.query("SELECT 1 FROM threats")).toHaveLength(1);

    await holder.release();
    await until(() => world.entries("database_locked").length === 2, "the release is logged");
    expect((await world.api("PATCH", `/v1/threats/${id}`, { status: "resolved" })).status).toBe(200);
    expect(await world.statusOf(id!)).toBe("resolved");
    expect((await world.server.stop()).code).toBe(0);
  },
  timeoutMs,
);

test(
  "A change that meets a locked database succeeds when the lock is released within a second",
  async () => {
    const world = await startServer();
    const [id] = await world.submit("examp1e-bank.com");
    const holder = await world.hold();
    const change = world.api("PATCH", `/v1/threats/${id}`, { status: "resolved" });
    for (let round = 0; round < 5; round += 1) await world.api("GET", "/healthz");
    await holder.release();
    expect((await change).status).toBe(200);
    expect(await world.statusOf(id!)).toBe("resolved");
    expect(world.entries("database_locked")).toEqual([]);
  },
  timeoutMs,
);

test(
  "A form that meets a locked database gets a page that says to try again, and changes nothing",
  async () => {
    const world = await startServer();
    const { cookie, token } = await signIn(world.server.url);
    const holder = await world.hold();
    const submit = () =>
      fetch(`${world.server.url}/console/domains/new`, {
        method: "POST",
        redirect: "manual",
        headers: { cookie, "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ domain: "example.org", step: "add", form_token: token }),
      });
    const page = await submit();
    expect([page.status, page.headers.get("retry-after")]).toEqual([500, "1"]);
    expect(await page.text()).toContain("The database is busy");
    expect(world.query("SELECT 1 FROM protected_domains")).toHaveLength(1);
    await holder.release();
    await until(async () => (await submit()).status === 303, "it can be written again");
    expect(world.query("SELECT 1 FROM protected_domains")).toHaveLength(2);
  },
  timeoutMs,
);

test(
  "Deliveries go out while the database is locked, and are recorded exactly once after that",
  async () => {
    let reply: (() => void) | undefined;
    const replied = new Promise<void>((resolve) => (reply = resolve));
    const receiver = startReceiver(async () => {
      await replied;
      return new Response("ok");
    });
    cleanup.push(receiver.stop);
    const world = await startServer({ receiver });
    const names = Array.from({ length: 12 }, (_, index) => `example-bank-${index}.com`);
    await world.submit(...names);
    await until(() => receiver.received.length > 0, "deliveries are in flight");
    const pending = () => world.query("SELECT 1 FROM deliveries WHERE status = 'pending'").length;
    await until(() => pending() === names.length, "all deliveries were created");
    const holder = await world.hold();
    reply!();
    // The others follow, although no result can be recorded.
    await until(() => receiver.received.length === names.length, "all are sent");
    expect(pending()).toBe(names.length);
    await holder.release();
    await until(() => pending() === 0, "all are recorded");
    expect(world.query("SELECT 1 FROM delivery_attempts")).toHaveLength(names.length);
    expect(receiver.received).toHaveLength(names.length);
  },
  timeoutMs,
);

test(
  "A server that is stopped while its database is locked ends, and the next one sends what was not recorded",
  async () => {
    const receiver = startReceiver();
    cleanup.push(receiver.stop);
    const world = await startServer({ receiver });
    const [id] = await world.submit("examp1e-bank.com");
    await until(() => world.query("SELECT 1 FROM delivery_attempts").length === 1, "it is delivered");
    const holder = await world.hold();
    const change = world.api("PATCH", `/v1/threats/${id}`, { status: "resolved" });
    await world.api("GET", "/healthz");
    const ended = await world.server.stop();
    expect(ended.code).toBe(0);
    expect((await change).status).toBe(500);
    await holder.release();
    expect(world.query("SELECT status FROM threats")).toEqual([{ status: "active" }]);
  },
  timeoutMs,
);

/**
 * Starts an import that lasts until `end` is called: `feed` gives it names whenever it has recorded nearly all of the
 * previous ones.
 */
function startEndlessImport(world: Awaited<ReturnType<typeof startServer>>) {
  const namesPerFeed = 1_000;
  const running = world.folder.start(["import", "-"]);
  cleanup.push(() => running.kill("SIGKILL"));
  const threats = () => world.query<{ n: number }>("SELECT count(*) AS n FROM threats")[0]!.n;
  let fed = 0;
  return {
    running,
    threats,
    isStopped: () => /^State:\s+T/m.test(readFileSync(`/proc/${running.pid}/status`, "utf8")),
    feed(): void {
      if (fed - threats() > namesPerFeed / 2) return;
      // It does not read while it is stopped, so nothing waits for this.
      void running.stdin.write(
        Array.from({ length: namesPerFeed }, (_, index) => `example-bank-${fed + index}.com\n`).join(""),
      );
      void running.stdin.flush();
      fed += namesPerFeed;
    },
    /** Ends its input, and returns how many names it got. */
    async end(): Promise<number> {
      await running.stdin.end();
      expect(await running.exited).toBe(0);
      return fed;
    },
  };
}

test(
  "An import that is suspended in the middle of a transaction does not keep the lock from a server",
  async () => {
    const world = await startServer();
    const { running, threats, isStopped, feed, end } = startEndlessImport(world);
    // The lock is taken and released all the time: suspend until it is caught holding it.
    await until(async () => {
      feed();
      running.kill("SIGSTOP");
      await until(isStopped, "it is suspended");
      if (findLockHolder(world.path)?.pid === running.pid) return true;
      running.kill("SIGCONT");
      return false;
    }, "it is suspended within a transaction");
    expect(findLockHolder(world.path)).toMatchObject({ suspended: true });

    const [id] = await world.submit("examp1e-bank.com");
    expect((await world.api("PATCH", `/v1/threats/${id}`, { status: "resolved" })).status).toBe(200);
    await until(isStopped, "it is suspended again");
    // The server may be writing.
    expect(findLockHolder(world.path)?.pid).not.toBe(running.pid);
    expect(world.server.err()).toContain("resumed a suspended command until it releases the database");
    expect(world.entries("database_locked")).toEqual([]);

    running.kill("SIGCONT");
    const fed = await end();
    expect(threats()).toBe(fed + 1);
  },
  timeoutMs,
);

test(
  "An import that is suspended from its terminal finishes its transaction first",
  async () => {
    const world = await startServer();
    const { running, threats, isStopped, feed, end } = startEndlessImport(world);
    for (let round = 1; round <= 5; round += 1) {
      const before = threats();
      await until(() => {
        feed();
        return threats() > before;
      }, "it records");
      running.kill("SIGTSTP");
      await until(isStopped, "it is suspended");
      // The server may be writing.
      expect(findLockHolder(world.path)?.pid).not.toBe(running.pid);
      running.kill("SIGCONT");
    }
    const fed = await end();
    expect(threats()).toBe(fed);
  },
  timeoutMs,
);

/** Returns a session's cookie, and the CSRF token of its forms. */
async function signIn(url: string): Promise<{ cookie: string; token: string }> {
  const tokenIn = (html: string) => /name="form_token" value="([^"]+)"/.exec(html)![1]!;
  const form = await fetch(`${url}/console/sign-in`);
  const visit = form.headers.get("set-cookie")!.split(";")[0]!;
  const signedIn = await fetch(`${url}/console/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: { cookie: visit, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ password, form_token: tokenIn(await form.text()) }),
  });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
  const page = await fetch(`${url}/console/domains/new`, { headers: { cookie } });
  return { cookie, token: tokenIn(await page.text()) };
}

test("`check` names the process that holds the write lock, and is content when it is released", async () => {
  const { folder, path } = await startServer();
  const checked = async () => {
    const { code, out } = await folder.run(["check", "--offline", "--json"]);
    const results = out.trim().split("\n");
    const lock = results.find((line) => line.includes('"check":"write-lock"'))!;
    return { code, lock: JSON.parse(lock) as { state: string; detail: string; change?: string } };
  };
  const holder = await holdWriteLock(path);
  const held = await checked();
  await holder.release();
  expect(held).toMatchObject({ code: 1, lock: { state: "error", change: `end process ${holder.pid}` } });
  expect((await checked()).lock.state).toBe("ok");
});
