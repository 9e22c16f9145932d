import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../support/appliance.ts";
import { quickest } from "../../support/command-line.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";

// Administers endpoints from the shell beside a running server: each command is a process of its own.

const timeoutMs = 60_000;
let folder: ReturnType<typeof temporaryFolder>;
let receiver: Receiver;
let status = 200;
const children: Bun.Subprocess[] = [];

beforeEach(() => {
  status = 200;
  folder = temporaryFolder();
  receiver = startReceiver(() => status);
  const lines = [
    `[server]\nlisten = "127.0.0.1:0"`,
    `[storage]\npath = "phishwatch.db"`,
    `[scan]\nschedule = ""\n[lookups]\nenabled = false`,
    `[webhooks]\nallow_http = true\nretry_delays = []`,
    `[[protected_domains]]\ndomain = "example-bank.com"`,
  ];
  writeFileSync(join(folder.path, "phishwatch.toml"), `${lines.join("\n")}\n`);
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill("SIGKILL");
    await child.exited;
  }
  await receiver.stop();
  folder.dispose();
});

function spawn(...command: string[]) {
  const child = Bun.spawn([...quickest, ...command], {
    cwd: folder.path,
    stdout: "pipe",
    stderr: "pipe",
  });
  children.push(child);
  return child;
}

async function run(...command: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = spawn(...command);
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, err };
}

const webhooks = (...command: string[]) => run("webhooks", ...command);

/** Returns the URL of the server. */
async function serve(): Promise<string> {
  const child = spawn("serve");
  const reader = child.stdout.getReader();
  let text = "";
  while (!text.includes("is ready")) text += new TextDecoder().decode((await reader.read()).value);
  return /ready on (\S+)/.exec(text)![1]!;
}

let names = 0;
async function recordThreats(count: number): Promise<void> {
  const path = join(folder.path, "names.txt");
  writeFileSync(path, Array.from({ length: count }, () => `example-bank-${(names += 1)}.com\n`).join(""));
  expect((await run("import", path)).code).toBe(0);
}

/** Waits until the server has dispatched every event and no delivery is pending. */
async function dispatched(): Promise<void> {
  const database = new Database(join(folder.path, "phishwatch.db"), { readonly: true });
  const isPending = database.query(
    "SELECT 1 FROM events WHERE dispatched_at IS NULL UNION ALL SELECT 1 FROM deliveries WHERE status = 'pending'",
  );
  await until(() => isPending.get() === null, "dispatched");
  database.close();
}

test(
  "an endpoint can be added, tested, changed, disabled, enabled, replayed to and removed while the server runs",
  async () => {
    await serve();
    const added = await webhooks("add", receiver.url, "--name", "soc", "--event", "threat.created", "--test");
    expect([added.code, added.out]).toEqual([
      0,
      expect.stringMatching(/^whsec_\S{44}\nHTTP status 200 in \d+ ms\n$/),
    ]);
    const secret = added.out.split("\n")[0]!;
    expect(JSON.parse(receiver.received[0]!.body).type).toBe("webhook.ping");

    await recordThreats(2);
    await until(() => receiver.received.length === 3, "delivered at once");
    const { body, headers } = receiver.received[2]!;
    expect(headers["x-service-signature"]).toBe(
      `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    );

    const changed = await webhooks(
      "change",
      "soc",
      "--header",
      "X-Team: soc",
      "--rate",
      "100",
      "--domain",
      "Example-Bank.com",
      "--json",
    );
    expect(JSON.parse(changed.out)).toMatchObject({
      name: "soc",
      headers: ["X-Team"],
      rate_per_second: 100,
      min_severity: "low",
      protected_domains: ["example-bank.com"],
      verified_only: false,
    });
    expect(changed.out).not.toContain(secret);

    expect((await webhooks("disable", "soc")).code).toBe(0);
    await recordThreats(3);
    await dispatched();
    expect(receiver.received).toHaveLength(3);
    const enabled = await webhooks("enable", "soc");
    expect(enabled.err).toContain("it missed 3 events");
    const replay = /phishwatch webhooks (replay .*) --yes/.exec(enabled.err)![1]!.split(" ");
    expect((await webhooks(...replay)).err).toMatch(/^3 deliveries since \S+; to send them, add --yes/);
    expect(receiver.received).toHaveLength(3);
    expect(JSON.parse((await webhooks(...replay, "--json")).out)).toEqual({ deliveries: 3, queued: false });
    expect((await webhooks(...replay, "--yes")).err).toMatch(/^3 deliveries since \S+ queued/);
    await until(() => receiver.received.length === 6, "the replay");
    expect(receiver.received[5]!.headers["x-team"]).toBe("soc");

    expect((await webhooks("remove", "soc")).code).toBe(0);
    expect((await webhooks("list", "--json")).out).toBe("");
  },
  timeoutMs,
);

test(
  "`webhooks deliveries` shows an attempt's outcome, and `webhooks redeliver` sends the delivery again",
  async () => {
    await serve();
    await webhooks("add", receiver.url, "--name", "soc");
    status = 503;
    await recordThreats(1);
    await until(() => receiver.received.length === 1, "sent");
    await dispatched();
    const list = async () =>
      (await webhooks("deliveries", "--status", "failed", "--json")).out
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as { id: string; event_id: string; status: string });
    const [delivery] = await list();
    expect(delivery!.event_id).toBe(receiver.eventIds()[0]!);
    const shown = await webhooks("deliveries", delivery!.id);
    expect(shown.out).toMatch(/next attempt +none: failed after 1 attempt/);
    expect(shown.out).toMatch(/503 +\d+ ms +HTTP status 503/);
    status = 200;
    const redelivered = await webhooks("redeliver", delivery!.id, "--json");
    expect([redelivered.code, redelivered.out]).toEqual([0, '{"deliveries":1,"queued":true}\n']);
    await until(() => receiver.received.length === 2, "sent again");
    await dispatched();
    expect(receiver.eventIds()[1]).toBe(receiver.eventIds()[0]!);
  },
  timeoutMs,
);

test(
  "commands that cannot succeed fail with what to do instead",
  async () => {
    const failures: [string[], number, RegExp][] = [
      [["add", "http://169.254.169.254/"], 1, /metadata address, which is never connected to/],
      [["add", receiver.url, "--header", "nonsense"], 2, /--header must be "Name: value"/],
      [["add", "https://[::ffff:a9fe:a9fe]/"], 1, /metadata address/],
      [["change", "nobody", "--rate", "1"], 1, /there is no webhook endpoint nobody/],
      [["replay"], 2, /one of --failed, --missed and --all/],
      [["replay", "--missed"], 2, /name the endpoint/],
      [["replay", "nobody", "--all"], 1, /there is no webhook endpoint nobody/],
      [["redeliver", "dlv_none"], 1, /there is no delivery dlv_none/],
    ];
    for (const [command, code, message] of failures) {
      const result = await webhooks(...command);
      expect([command, result.code, result.err, result.out]).toEqual([
        command,
        code,
        expect.stringMatching(message),
        "",
      ]);
    }
  },
  timeoutMs,
);

test(
  "both secrets sign after a rotation, until `--end` ends it",
  async () => {
    await webhooks("add", receiver.url, "--name", "soc");
    const rotated = await webhooks("rotate", "soc");
    expect(rotated.out).toMatch(/^whsec_\S{44}\n$/);
    expect(rotated.err).toContain("the old one also signs until");
    await webhooks("test", "soc");
    expect((await webhooks("rotate", "soc", "--end")).code).toBe(0);
    await webhooks("test", "soc");
    expect(receiver.received.map(({ headers }) => headers["webhook-signature"]!.split(" ").length)).toEqual([
      2, 1,
    ]);
  },
  timeoutMs,
);

test(
  "`webhooks listen` prints deliveries and whether their signatures are valid",
  async () => {
    const secretFile = join(folder.path, "secret");
    writeFileSync(secretFile, "a-secret-for-tests\n");
    const listener = spawn("webhooks", "listen", "--port", "0", "--secret-file", secretFile);
    const errors = listener.stderr.getReader();
    const url = /http:\S+/.exec(new TextDecoder().decode((await errors.read()).value))![0];
    expect((await webhooks("add", url, "--name", "own", "--secret-file", secretFile, "--test")).code).toBe(0);
    expect((await webhooks("add", url, "--name", "other", "--test")).code).toBe(0);
    await fetch(url, { method: "POST", body: "\u001b[31mred\u202e" });
    listener.kill("SIGTERM");
    const text = await new Response(listener.stdout).text();
    expect(await listener.exited).toBe(0);
    expect(text).toContain("POST /  X-Service-Signature valid, webhook-signature valid");
    expect(text).toContain("POST /  X-Service-Signature invalid, webhook-signature invalid");
    expect(text).toContain("POST /  X-Service-Signature missing, webhook-signature missing");
    expect(text).toContain("\\u{1b}[31mred\\u{202e}");
  },
  timeoutMs,
);

test(
  "`webhooks list` and `show` and the metrics give the state of an endpoint and why it fails",
  async () => {
    status = 503;
    const server = await serve();
    await webhooks("add", receiver.url, "--name", "soc");
    await recordThreats(1);
    const shown = async () =>
      JSON.parse((await webhooks("show", "soc", "--json")).out) as Record<string, unknown>;
    await until(async () => (await shown())["state"] === "failing", "failing");
    expect(await shown()).toMatchObject({
      cause: expect.stringMatching(/^503 after \d+ ms: ok$/),
      next_probe_at: null,
    });
    expect((await webhooks("show", "soc")).out).toMatch(/cause\s+503 after/);
    expect((await webhooks("list")).out).toMatch(/failing \(\d+ in a row\).*503 after/);
    const metrics = await (await fetch(`${server}/metrics`)).text();
    expect(metrics).toContain(
      'phishwatch_recipient_state{recipient="soc",state="failing",failure="status"} 1\n',
    );
  },
  timeoutMs,
);
