import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../support/appliance.ts";
import { quickest } from "../../support/command-line.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";

// Kills the real process without warning at each step of a delivery. A separate process, `phishwatch import`,
// records the names.

const timeoutMs = 60_000;
const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

function prepare(receiver: Receiver, { retryDelays = ["1h"] } = {}) {
  const folder = temporaryFolder();
  cleanup.push(folder.dispose);
  cleanup.push(receiver.stop);
  const config = join(folder.path, "phishwatch.toml");
  const lines = [
    `[server]\nlisten = "127.0.0.1:0"`,
    `[storage]\npath = "phishwatch.db"`,
    `[scan]\nschedule = ""\n[lookups]\nenabled = false`,
    `[webhooks]\nallow_http = true\ntimeout = "30s"\nretry_delays = ${JSON.stringify(retryDelays)}`,
    `[[webhooks.endpoints]]\nname = "soc"\nurl = "${receiver.url}"\nsecret = "a-secret-for-tests"\nevents = ["threat.created"]`,
    `[[protected_domains]]\ndomain = "example-bank.com"`,
  ];
  writeFileSync(config, `${lines.join("\n")}\n`);
  const spawn = (...command: string[]) =>
    Bun.spawn([...quickest, ...command, "--config", config], {
      stdout: "pipe",
      stderr: "pipe",
      cwd: folder.path,
    });
  return {
    /** Resolves when the server is ready. */
    async serve() {
      const child = spawn("serve");
      cleanup.push(async () => {
        child.kill("SIGKILL");
        await child.exited;
      });
      const reader = child.stdout.getReader();
      let text = "";
      while (!text.includes("is ready")) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`serve ended: ${await new Response(child.stderr).text()}`);
        text += new TextDecoder().decode(value);
      }
      return {
        pid: child.pid,
        async kill() {
          child.kill("SIGKILL");
          await child.exited;
        },
      };
    },
    /** Records a threat, and with it an event, for each of `count` names. */
    async importNames(count: number, prefix = "a") {
      const path = join(folder.path, "names.txt");
      writeFileSync(
        path,
        Array.from({ length: count }, (_, index) => `example-bank-${prefix}${index}.com\n`).join(""),
      );
      const child = spawn("import", path);
      expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, expect.any(String)]);
    },
    query<Row>(text: string): Row[] {
      const database = new Database(join(folder.path, "phishwatch.db"), { readonly: true });
      try {
        return database.query<Row, []>(text).all();
      } finally {
        database.close();
      }
    },
  };
}

const eventIds = (appliance: ReturnType<typeof prepare>) =>
  appliance.query<{ id: string }>("SELECT id FROM events ORDER BY id").map(({ id }) => id);
const statuses = (appliance: ReturnType<typeof prepare>) =>
  appliance.query<{ status: string; attempts: number; total: number }>(
    "SELECT status, attempts, count(*) AS total FROM deliveries GROUP BY status, attempts",
  );

function delivered(appliance: ReturnType<typeof prepare>, count: number): Promise<void> {
  const succeeded = () => statuses(appliance).filter(({ status }) => status === "succeeded");
  return until(() => succeeded().reduce((sum, { total }) => sum + total, 0) === count, "delivered", 20_000);
}

test(
  "a process killed before sending delivers recorded events at the next start, each once",
  async () => {
    const receiver = startReceiver();
    const appliance = prepare(receiver);
    await appliance.importNames(20);
    expect(statuses(appliance)).toEqual([]);
    await appliance.serve();
    await delivered(appliance, 20);
    expect(statuses(appliance)).toEqual([{ status: "succeeded", attempts: 1, total: 20 }]);
    expect(receiver.eventIds().sort()).toEqual(eventIds(appliance));
  },
  timeoutMs,
);

test(
  "a process killed before any response sends again with the same identifiers, having marked nothing as done",
  async () => {
    let responds = false;
    const receiver = startReceiver(() => (responds ? 200 : new Promise<Response>(() => {})));
    const appliance = prepare(receiver);
    const first = await appliance.serve();
    await appliance.importNames(20);
    await until(() => receiver.received.length === 8, "eight in flight");
    // The first are sent while the others are still being queued.
    await until(() => statuses(appliance)[0]?.total === 20, "all queued");
    await first.kill();
    expect(statuses(appliance)).toEqual([{ status: "pending", attempts: 0, total: 20 }]);
    const sentBefore = receiver.eventIds();
    responds = true;
    await appliance.serve();
    await delivered(appliance, 20);
    expect(receiver.received).toHaveLength(28);
    expect(statuses(appliance)).toEqual([{ status: "succeeded", attempts: 1, total: 20 }]);
    const sentAfter = receiver.eventIds().slice(8);
    expect(sentAfter.toSorted()).toEqual(eventIds(appliance));
    expect(sentAfter).toEqual(expect.arrayContaining(sentBefore));
  },
  timeoutMs,
);

test(
  "a process killed after the response and before recording it sends again with the same identifier",
  async () => {
    let pid = 0;
    const receiver = startReceiver((_, count) => {
      // The process is killed while the response is on its way.
      if (count === 1) process.kill(pid, "SIGKILL");
      return 200;
    });
    const appliance = prepare(receiver);
    ({ pid } = await appliance.serve());
    await appliance.importNames(1);
    await until(() => receiver.received.length === 1, "sent");
    expect(statuses(appliance)).toEqual([{ status: "pending", attempts: 0, total: 1 }]);
    await appliance.serve();
    await delivered(appliance, 1);
    const [id] = eventIds(appliance);
    expect(receiver.eventIds()).toEqual([id!, id!]);
    expect(receiver.received[1]!.body).toBe(receiver.received[0]!.body);
  },
  timeoutMs,
);

test(
  "a process killed after recording sends nothing again",
  async () => {
    const receiver = startReceiver();
    const appliance = prepare(receiver);
    const first = await appliance.serve();
    await appliance.importNames(20);
    await delivered(appliance, 20);
    await first.kill();
    await appliance.serve();
    await appliance.importNames(1, "later");
    await until(() => receiver.received.length === 21, "the later one");
    expect(receiver.eventIds().sort()).toEqual(eventIds(appliance));
  },
  timeoutMs,
);

test(
  "a process killed at random moments under load loses no event, and marks none as done that did not arrive",
  async () => {
    const seed = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);
    console.log(`seed ${seed} (TEST_SEED)`);
    let state = seed;
    const random = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
    const receiver = startReceiver(async () => {
      await Bun.sleep(random() * 10);
      return new Response("ok");
    });
    const appliance = prepare(receiver, { retryDelays: ["1s", "1s", "1s", "1s"] });
    const names = 300;
    const rounds = 3;
    for (let round = 0; round < rounds; round += 1) {
      const server = await appliance.serve();
      const importing = appliance.importNames(names, `r${round}x`);
      await Bun.sleep(200 + random() * 700);
      await server.kill();
      await importing;
      const arrived = new Set(receiver.eventIds());
      const done = appliance.query<{ id: string }>(
        "SELECT events.id FROM deliveries JOIN events ON events.seq = event_seq WHERE status = 'succeeded'",
      );
      expect(done.filter(({ id }) => !arrived.has(id))).toEqual([]);
    }
    await appliance.serve();
    await delivered(appliance, rounds * names);
    expect([...new Set(receiver.eventIds())].sort()).toEqual(eventIds(appliance));
    // Every repeated delivery had the same bytes.
    const bodies = new Map<string, Set<string>>();
    for (const { body } of receiver.received) {
      const { id } = JSON.parse(body) as { id: string };
      bodies.set(id, (bodies.get(id) ?? new Set()).add(body));
    }
    expect([...bodies.values()].every((set) => set.size === 1)).toBe(true);
  },
  timeoutMs,
);
