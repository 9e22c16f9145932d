import { Database as Sqlite } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "bun:test";
import { newEncryption } from "../../../src/operations/backups/encryption/encrypted-store.ts";
import { noOutcomes } from "../../../src/operations/backups/running/outcomes.ts";
import { runBackup } from "../../../src/operations/backups/running/run-backup.ts";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import { commandFolder } from "../../support/command-line.ts";
import { startReceiver } from "../../support/receiver.ts";
import { startS3Server } from "../../support/s3-server.ts";
import { fillRandom } from "../../support/standby-world.ts";
import { until } from "../../support/until.ts";

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

const timeoutMs = 60_000;
const key = "a-declared-key-0123456789";
const secret = "a-secret-of-the-backups";

test(
  "A standby replaces a primary that is killed: nothing from before the last backup is missing, pending deliveries continue with the same ids, and the bucket reveals nothing",
  async () => {
    const s3 = await startS3Server({ pageObjects: 1_000 });
    cleanup.push(s3.stop);
    let isWorking = false;
    const receiver = startReceiver(() => (isWorking ? 200 : 500));
    cleanup.push(receiver.stop);
    const { bucket, endpoint, region, accessKey, secretKey } = s3;
    const config = `
[server]
listen = "127.0.0.1:0"
[storage]
path = "data/phishwatch.db"
[scan]
schedule = ""
[lookups]
enabled = false
[webhooks]
allow_http = true
retry_delays = [${Array.from({ length: 20 }, () => `"1s"`).join(", ")}]
[[webhooks.endpoints]]
name = "soc"
url = "${receiver.url}"
secret = "a-secret-for-tests"
events = ["threat.created"]
[[protected_domains]]
domain = "example-bank.com"
[[api_keys]]
name = "ci"
key = "${key}"
scopes = ["candidates:write"]
[backup]
s3 = "s3://${bucket}/main"
s3_endpoint = "${endpoint}"
s3_region = "${region}"
s3_access_key = "${accessKey}"
s3_secret_key = "${secretKey}"
encrypt_with = "${secret}"
`;
    // The cost of real repositories would make up a third of the time of this test.
    const repository = "0123456789abcdef0123456789abcdef";
    const cost = { n: 2 ** 10, r: 8, p: 1 };
    const { encryption } = await newEncryption({ id: repository, secret, fillRandom, cost });
    const head = { format: 1, id: repository, createdAt: "2026-01-31T00:00:00.000Z", encryption };
    s3.objects.set("main/phishwatch-backups.json", Buffer.from(JSON.stringify(head)));
    const [primary, second] = [commandFolder(config), commandFolder(config)];
    cleanup.push(primary.dispose, second.dispose);
    const backUp = (folder: string) =>
      runBackup(
        {
          databasePath: join(folder, "data/phishwatch.db"),
          descriptor: undefined,
          settings: {
            location: {
              kind: "s3",
              bucket,
              prefix: "main",
              settings: { endpoint, region, accessKey, secretKey },
            },
            encryptWith: secret,
            keep: 5,
          },
          configuration: config,
          version: "0.3.0",
          opensDatabase: false,
          outcomes: noOutcomes,
        },
        { clock: systemClock, fillRandom, signal: new AbortController().signal },
      );
    const submit = async (url: string, name: string, count: number) => {
      const names = Array.from({ length: count }, (_, index) => `example-bank-${name}${index}.com`);
      const headers = { authorization: `Bearer ${key}`, "content-type": "text/plain" };
      const request = { method: "POST", headers, body: names.join("\n") };
      expect((await fetch(`${url}/v1/candidates`, request)).status).toBe(200);
    };
    const query = <Row>(folder: string, text: string): Row[] => {
      const sqlite = new Sqlite(join(folder, "data/phishwatch.db"), { readonly: true });
      try {
        return sqlite.query<Row, []>(text).all();
      } finally {
        sqlite.close();
      }
    };
    const events = (folder: string) =>
      query<{ id: string; body: string }>(folder, "SELECT id, body FROM events ORDER BY id");

    const first = await primary.serve();
    cleanup.push(() => first.stop("SIGKILL"));
    await submit(first.url, "early", 15);
    const early = await backUp(primary.path);
    const hasState = (backup: string) => existsSync(join(second.path, "data/standby", `state-${backup}`));
    const standby = second.start(["standby", "--every", "1s"]);
    cleanup.push(() => standby.kill("SIGKILL"));
    await until(() => hasState(early.id), "the first state", timeoutMs);

    await submit(first.url, "acknowledged", 15);
    const acknowledged = events(primary.path);
    // Changes in flight while the backup is made.
    const inFlight = Promise.all(
      Array.from({ length: 20 }, (_, index) => submit(first.url, `late${index}-`, 10)),
    );
    const { id } = await backUp(primary.path);
    await inFlight;
    await until(() => hasState(id), "the last state", timeoutMs);
    expect(await second.run(["standby", "status", "--json"])).toMatchObject({
      code: 0,
      out: expect.stringContaining(`"condition":"following","backup":"${id}"`),
    });
    await first.stop("SIGKILL");
    standby.kill("SIGKILL");
    await standby.exited;

    const promoted = await second.run(["standby", "promote", "--force"]);
    expect(promoted).toMatchObject({ code: 0, err: expect.stringContaining(`to the backup ${id}`) });
    isWorking = true;
    const before = receiver.received.length;
    const next = await second.serve();
    cleanup.push(() => next.stop("SIGKILL"));
    const deliveredIds = () => new Set(receiver.eventIds().slice(before));
    await until(
      () => acknowledged.every((event) => deliveredIds().has(event.id)),
      "all deliveries",
      timeoutMs,
    );
    const kept = new Map(events(second.path).map((event) => [event.id, event.body]));
    expect(acknowledged.length).toBe(30);
    expect(acknowledged.filter((event) => kept.get(event.id) !== event.body)).toEqual([]);
    expect(
      query(
        second.path,
        "SELECT count(*) AS threats FROM threats WHERE domain LIKE '%early%' OR domain LIKE '%acknowledged%'",
      ),
    ).toEqual([{ threats: 30 }]);
    const stored = Buffer.concat([...s3.objects.values()]);
    expect([stored.includes("example-bank"), stored.includes(secret)]).toEqual([false, false]);

    // The new primary continues the same backups.
    const { kept: backups } = await backUp(second.path);
    expect(backups).toBe(3);
  },
  timeoutMs,
);
