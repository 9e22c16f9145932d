import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../support/appliance.ts";
import { quickest } from "../../../support/command-line.ts";
import { startListServer } from "../../../support/list-server.ts";
import { until } from "../../../support/until.ts";

// Kills the real process without warning at each step of a fetch.

const lookAlikes = 1_500;
const timeoutMs = 60_000;
const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

function prepare(url: string) {
  const folder = temporaryFolder();
  cleanup.push(folder.dispose);
  const config = join(folder.path, "phishwatch.toml");
  const path = join(folder.path, "phishwatch.db");
  const lines = [
    `[server]\nlisten = "127.0.0.1:0"`,
    `[storage]\npath = "phishwatch.db"`,
    `[scan]\nschedule = ""\n[lookups]\nenabled = false`,
    `[[protected_domains]]\ndomain = "example-bank.com"`,
    `[[feeds]]\nname = "nrd"\nurl = "${url}"\nallow_private_networks = true`,
  ];
  writeFileSync(config, `${lines.join("\n")}\n`);
  return {
    files: () => readdirSync(`${path}.feeds`),
    serve() {
      const child = Bun.spawn([...quickest, "serve", "--config", config], {
        stdout: "ignore",
        stderr: "ignore",
        cwd: folder.path,
      });
      const kill = async () => {
        child.kill("SIGKILL");
        await child.exited;
      };
      cleanup.push(kill);
      return { kill };
    },
    execute(text: string): void {
      const database = new Database(path);
      try {
        database.run(text);
      } finally {
        database.close();
      }
    },
    /** Returns the rows, none if the table does not exist yet. */
    query<Row>(text: string): Row[] {
      try {
        const database = new Database(path, { readonly: true });
        try {
          return database.query<Row, []>(text).all();
        } finally {
          database.close();
        }
      } catch {
        return [];
      }
    },
  };
}

test(
  "a process that is killed while it downloads, and again while it reads, records each look-alike once",
  async () => {
    const server = startListServer();
    cleanup.push(server.stop);
    const names = Array.from({ length: lookAlikes }, (_, index) =>
      [
        `example-bank-${index}.com`,
        ...Array.from({ length: 40 }, (_one, other) => `name${index}x${other}.org`),
      ].join("\n"),
    );
    const list = new TextEncoder().encode(`${names.join("\n")}\n`);
    let isHeld = true;
    server.respond(() => {
      if (!isHeld) return new Response(list);
      const half = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(list.subarray(0, 400_000)),
      });
      return new Response(half);
    });
    const world = prepare(`${server.url}/nrd.txt`);

    const first = world.serve();
    await until(() => server.requests.length === 1, "the request arrives");
    await until(() => world.files().some((name) => name.endsWith(".download")), "the download begins");
    await first.kill();
    expect(world.query("SELECT * FROM threats")).toEqual([]);

    isHeld = false;
    // Stops the reading in the middle, however fast it is.
    world.execute(`CREATE TRIGGER endless AFTER INSERT ON threats WHEN new.seq = ${lookAlikes / 10} BEGIN
      SELECT count(*) FROM (WITH RECURSIVE turns(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM turns) SELECT n FROM turns);
    END`);
    const second = world.serve();
    const progress = () =>
      world.query<{ matched: number; completed_at: number | null }>(
        "SELECT matched, completed_at FROM feed_files",
      );
    await until(() => (progress()[0]?.matched ?? 0) > 0, "reading begins");
    await second.kill();
    expect(world.query<{ count: number }>("SELECT count(*) AS count FROM threats")[0]!.count).toBeLessThan(
      lookAlikes,
    );
    world.execute("DROP TRIGGER endless");

    world.serve();
    await until(() => (progress()[0]?.completed_at ?? null) !== null, "the list is read");
    // The list was not fetched again for the rest of it.
    expect(server.requests).toHaveLength(2);
    expect(progress()).toEqual([{ matched: lookAlikes, completed_at: expect.any(Number) }]);
    const created = world.query<{ domain: string }>("SELECT domain FROM threats");
    expect(created).toHaveLength(lookAlikes);
    expect(new Set(created.map(({ domain }) => domain)).size).toBe(lookAlikes);
    const events = world.query<{ count: number }>(
      "SELECT count(*) AS count FROM events WHERE type = 'threat.created'",
    );
    expect(events[0]!.count).toBe(lookAlikes);
    expect(world.files()).toHaveLength(2);
  },
  timeoutMs,
);
