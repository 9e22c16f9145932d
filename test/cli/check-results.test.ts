import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { openRepository } from "../../src/operations/backups/repository/repository.ts";
import { openStore } from "../../src/operations/backups/stores/open-store.ts";
import { withChecks } from "../../scripts/render-checks.ts";
import { certificateFile, serverCertificate } from "../../src/cli/checks/certificates.ts";
import { checkGroups, groupOf } from "../../src/cli/checks/catalog.ts";
import type { CheckResult } from "../../src/cli/checks/result.ts";
import { exposedFiles, rootUser } from "../../src/cli/checks/file-access.ts";
import { placesIn } from "../../src/cli/checks/setting-place.ts";
import { ageResult, backupResults } from "../../src/cli/checks/backups.ts";
import { similarity } from "../../src/cli/checks/detection.ts";
import { hiddenConfiguration, runningServer, unknownVariables } from "../../src/cli/checks/setup.ts";
import { inspectionThread, screenshots } from "../../src/cli/checks/lookups.ts";
import { clock, fileTimes, memory, openFiles } from "../../src/cli/checks/machine.ts";
import { describeFileSystem, growth } from "../../src/cli/checks/storage.ts";
import { originsOfNames } from "../../src/cli/checks/sources.ts";
import { ports } from "../../src/cli/checks/access.ts";
import { systemClock } from "../../src/platform/lib/clock.ts";
import { findManualPage } from "../../src/manual/manual.ts";
import { buildInfo } from "../../src/platform/lib/build-info.ts";
import { readServerState, writeServerState, type ServerUse } from "../../src/platform/reload/server-file.ts";
import { loaded } from "../platform/config/helper.ts";
import { createAuthority, issue } from "../support/certificates.ts";
import { commandFolder, defaultConfig, type CommandFolder } from "../support/command-line.ts";
import { until } from "../support/until.ts";

let folder: CommandFolder;
let storage: { path: string };
beforeEach(() => {
  folder = commandFolder();
  storage = { path: join(folder.path, "data/test.db") };
});
afterEach(() => folder.dispose());

const dayMs = 86_400_000;
const mebibyte = 2 ** 20;
const now = Date.UTC(2026, 0, 15);
const states = (all: CheckResult[]) => all.map(({ check, state }) => `${check}: ${state}`);

type Line = { check: string; what: string; state: string; detail: string } & Partial<
  Record<"setting" | "file" | "line" | "change", string | number>
>;

/** Runs `check --json` and returns its results. */
async function results(args: string[] = [], env: Record<string, string> = {}) {
  const { code, out, err } = await folder.run(["check", "--json", ...args], { env });
  const lines = out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
  return { code, err, lines, of: (id: string) => lines.filter((line) => line.check === id) };
}

describe("the output", () => {
  test("Every warning and error says what to change, and names the line of the file if a setting has to change", async () => {
    const config = defaultConfig
      .replace('"127.0.0.1:0"', '"0.0.0.0:0"')
      .concat('[[feeds]]\nname = "nrd"\npath = "none"\n[[protected_domains]]\ndomain = "chase.com"\n');
    const path = folder.file("phishwatch.toml", config);
    const { code, lines, of } = await results();
    expect(code).toBe(1);
    const problems = lines.filter(({ state }) => state === "warning" || state === "error");
    expect(problems.filter(({ change }) => typeof change !== "string" || change === "")).toEqual([]);
    const lineOf = (text: string) => config.slice(0, config.indexOf(text)).split("\n").length;
    expect(of("listen")).toMatchObject([{ setting: "server.listen", file: path, line: lineOf("listen") }]);
    expect(of("metrics-token")).toMatchObject([{ file: path, line: lineOf("[server]") }]);
    expect(of("sources")).toMatchObject([{ setting: 'feeds["nrd"]', line: lineOf("[[feeds]]") }]);
    expect(of("brand-words")).toMatchObject([
      {
        setting: 'protected_domains["chase.com"].keywords',
        line: lineOf('[[protected_domains]]\ndomain = "c'),
      },
    ]);
    const text = await folder.run(["check"]);
    expect(text.out).toContain(`         change ${path}:${lineOf("listen")}: server.listen: set it to`);
    expect(text.out).toMatch(/\n\n1 error, \d+ warnings, \d+ ok\n$/);
    expect(text.out.split("\n").filter((line) => line in checkGroups)).toEqual(
      Object.keys(checkGroups).filter((group) =>
        lines.some(({ check: id }) => groupOf(id as CheckResult["check"]) === group),
      ),
    );
  });

  test("With warnings alone, the exit code is 0, and 1 with `--strict`; an invalid configuration is 2", async () => {
    chmodSync(folder.file("phishwatch.toml", `${defaultConfig}[detection]\nmin_similarity = 0.99\n`), 0o600);
    const relaxed = await results();
    expect(relaxed.code).toBe(0);
    expect(relaxed.of("similarity")).toMatchObject([{ state: "warning" }]);
    const strict = await results(["--strict"]);
    expect(strict).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^phishwatch: \d+ warnings of \d+ /),
    });
    folder.file("phishwatch.toml", "[server]\nlisten = 5\n");
    expect(await results()).toMatchObject({ code: 2, lines: [] });
  });

  test("`--offline` skips resolvers, endpoints, URLs and the mail server, and says so", async () => {
    const requests: string[] = [];
    using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => (requests.push(request.url), new Response("")),
    });
    const connections: unknown[] = [];
    const listener = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: { open: (socket) => void connections.push(socket), data() {} },
    });
    const smtp = `[smtp]\nhost = "127.0.0.1"\nport = ${listener.port}\ntls = "none"\nfrom = "a@example.com"\n`;
    const feed = `[[feeds]]\nname = "far"\nurl = "${server.url.href}list.txt"\nallow_private_networks = true\n`;
    folder.file("phishwatch.toml", `${defaultConfig}${smtp}${feed}`);
    await folder.run(["webhooks", "add", `${server.url.href}hook?token=secret`, "--name", "soc"]);
    const { code, lines } = await results(["--offline", "--ping"]);
    const endpoint = lines.find(({ what }) => what === "endpoint soc");
    expect(endpoint).toMatchObject({ detail: `${server.url.href}hook?… was not connected to` });
    listener.stop(true);
    expect(code).toBe(0);
    const skipped = lines.filter(({ state }) => state === "skipped").map(({ what }) => what);
    expect(skipped).toEqual([
      "feed far",
      "resolvers",
      "endpoint soc",
      `mail server 127.0.0.1:${listener.port}`,
    ]);
    expect({ requests, connections }).toEqual({ requests: [], connections: [] });
  });

  test("The manual explains every check by its identifier, in tables that are up to date", () => {
    const page = readFileSync(join(import.meta.dir, "../../src/manual/check.md"), "utf8");
    expect(withChecks(page)).toBe(page);
    const [, text = ""] = findManualPage("check")!.text.split("\n## Checks\n");
    const rows = [...text.matchAll(/^\| `([a-z-]+)` /gm)].map(([, id]) => id!);
    expect(rows).toEqual(Object.values(checkGroups).flatMap((checks) => Object.keys(checks)));
  });

  test("The line of a setting is that of its key, else of its table, in whatever form it is written", () => {
    const text = [
      "server.listen = 1",
      "[scan]",
      'resolvers = ["1.1.1.1"]',
      'feeds = [{ name = "a" }, { name = "b", path = "x" }]',
    ];
    const place = placesIn({ path: "/c.toml", text: text.join("\n") });
    expect(place("server.listen")).toEqual({ file: "/c.toml", line: 1 });
    expect(place("server.tls_cert")).toEqual({ file: "/c.toml", line: 1 });
    expect(place("scan.schedule")).toEqual({ file: "/c.toml", line: 2 });
    expect(place('scan.feeds["b"].path')).toEqual({ file: "/c.toml", line: 4 });
    expect(place("archive.max_size")).toEqual({ file: "/c.toml" });
    expect(placesIn(undefined)("server.listen")).toBeUndefined();
  });
});

describe("the setup", () => {
  test("The thread that reads pages is started, and an error says why it does not start", async () => {
    const config = { lookups: { enabled: true } };
    const given = { clock: systemClock, offline: false };
    const startWorker = () => {
      throw new Error("too many open files");
    };
    expect(await inspectionThread(config, { ...given, startWorker })).toMatchObject([
      { state: "error", detail: "does not start: too many open files" },
    ]);
    const data = { task: "inspection", lists: {} };
    const starting = () => new Worker(join(import.meta.dir, "../../src/main.ts"), { workerData: data });
    expect(await inspectionThread(config, { ...given, startWorker: starting })).toMatchObject([
      { state: "ok" },
    ]);
    const failing = () => new Worker("process.exit(7)", { eval: true });
    expect(await inspectionThread(config, { ...given, startWorker: failing })).toMatchObject([
      { state: "error", detail: "does not start: exit code 7" },
    ]);
    expect(await inspectionThread({ lookups: { enabled: false } }, { ...given, startWorker })).toEqual([]);
  });

  test("An environment variable that nothing uses is reported, with the name that was probably meant", () => {
    const environment = { env: { PHISHWATCH_PASSWORD: "a-long-password" } };
    const config = loaded('[console]\npassword = { env = "PHISHWATCH_PASSWORD" }\n', environment);
    const env = { ...environment.env, PHISHWATCH_CONIFG: "x", PHISHWATCH_LISTEN: "y", HOME: "/root" };
    expect(unknownVariables(env, config)).toMatchObject([
      { what: "variable PHISHWATCH_CONIFG", change: "rename it to PHISHWATCH_CONFIG" },
      {
        what: "variable PHISHWATCH_LISTEN",
        change: expect.stringContaining('{ env = "PHISHWATCH_LISTEN" }'),
      },
    ]);
  });

  test("A second configuration file that the one in use hides is reported", () => {
    const other = folder.file("other.toml", defaultConfig);
    const source = { path: join(folder.path, "phishwatch.toml"), text: defaultConfig };
    expect(hiddenConfiguration({ PHISHWATCH_CONFIG: other }, { source })).toMatchObject([
      { state: "warning", detail: expect.stringContaining(other) },
    ]);
    expect(hiddenConfiguration({ PHISHWATCH_CONFIG: source.path }, { source })).toEqual([]);
  });

  test("A running server whose configuration file has changed, or that uses another one, is reported", async () => {
    const server = await folder.serve();
    const state = () => readServerState(storage.path);
    await until(() => (state()?.lastReload ?? null) !== null, "the server watches its file");
    const { version, commit } = buildInfo;
    const recorded = state()!;
    const record = (uses: Partial<ServerUse>, restart: string[] = [], errors: string[] = []) =>
      writeServerState(storage.path, {
        ...recorded,
        uses: { ...recorded.uses, version, commit, ...uses },
        lastReload: {
          ...recorded.lastReload!,
          result: errors.length > 0 ? "failed" : "unchanged",
          errors,
          restart,
        },
      });
    record({});
    const source = { path: join(folder.path, "phishwatch.toml"), text: defaultConfig };
    expect(runningServer({ source, storage })).toMatchObject([{ state: "ok" }]);
    expect(runningServer({ source: { ...source, text: `${defaultConfig}\n` }, storage })).toMatchObject([
      { state: "warning", detail: expect.stringContaining("was changed since the server read it") },
    ]);
    record({}, [], ["c.toml:2: log.level: found 1"]);
    expect(runningServer({ source: { ...source, text: `${defaultConfig}\n` }, storage })).toMatchObject([
      {
        state: "warning",
        detail: expect.stringContaining("cannot be applied: c.toml:2: log.level: found 1"),
      },
    ]);
    record({});
    expect(runningServer({ source: { ...source, path: "/copy.toml" }, storage })).toMatchObject([
      { detail: expect.stringContaining("not /copy.toml") },
    ]);
    record({}, ["server.listen"]);
    expect(runningServer({ source, storage })).toMatchObject([
      { detail: "it still uses the previous value of server.listen", change: "restart the server" },
    ]);
    record({ version: "0.1.0", lists: "2031-01-02" });
    expect(runningServer({ source, storage })).toMatchObject([
      {
        detail: expect.stringMatching(/^it has version 0\.1\.0 /),
        change: expect.stringContaining("restart"),
      },
      { detail: expect.stringContaining("the data update 2031-01-02, but the embedded lists") },
    ]);
    await server.stop();
    expect(runningServer({ source, storage })).toEqual([]);
  });

  test("An address that another program uses is an error", () => {
    const taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    const config = (listen: string) =>
      loaded(`[server]\nlisten = "${listen}"\n[storage]\npath = ":memory:"\n`);
    expect(ports(config(`127.0.0.1:${taken.port}`))).toMatchObject([
      { state: "error", setting: "server.listen", detail: expect.stringContaining("EADDRINUSE") },
    ]);
    taken.stop(true);
    expect(ports(config(`127.0.0.1:${taken.port}`))).toEqual([]);
    expect(ports(config("192.0.2.1:8080"))).toMatchObject([
      { detail: expect.stringContaining("EADDRNOTAVAIL") },
    ]);
  });
});

describe("access", () => {
  test("Root is reported unless the data belong to another user", () => {
    expect(rootUser({ storage: { path: ":memory:" } }, 0)).toMatchObject([
      { check: "user", state: "warning" },
    ]);
    expect(rootUser({ storage: { path: ":memory:" } }, 1000)).toEqual([]);
  });

  test("A private key and a database that every user can read are reported", () => {
    mkdirSync(join(folder.path, "data"));
    chmodSync(folder.path, 0o755);
    const keyPath = folder.file("tls.key", "key");
    const path = folder.file("data/test.db", "database");
    const { server } = loaded("");
    const found = () =>
      exposedFiles({ server: { ...server, tls: { certPath: "c", keyPath } }, storage: { path } });
    for (const file of [keyPath, path]) chmodSync(file, 0o644);
    expect(found().map(({ what }) => what)).toEqual(["private key", "database file"]);
    chmodSync(keyPath, 0o600);
    chmodSync(join(folder.path, "data"), 0o700);
    expect(found()).toEqual([]);
  });

  test("A certificate of the server for another host name, and one that ends soon, are reported", async () => {
    const authority = createAuthority();
    const server = async (host: string, daysLeft: number) => {
      const { cert, key } = issue(authority, [host], {
        notBefore: now - dayMs,
        notAfter: now + daysLeft * dayMs,
      });
      const tls = { certPath: folder.file("a.pem", cert), keyPath: folder.file("a.key", key) };
      return serverCertificate({ publicUrl: "https://watch.example.com", tls }, now);
    };
    expect(await server("watch.example.com", 90)).toMatchObject([{ state: "ok" }]);
    expect(await server("watch.example.com", 3)).toMatchObject([
      { state: "warning", setting: "server.tls_cert" },
    ]);
    expect(await server("other.example.com", 90)).toMatchObject([
      { state: "warning", detail: expect.stringContaining("not for watch.example.com") },
    ]);
    const { cert: client } = issue(authority, ["client"], { notBefore: now - dayMs, notAfter: now + dayMs });
    const path = folder.file("client.pem", client);
    expect(await certificateFile({ path, setting: undefined, what: "client" }, now)).toMatchObject({
      state: "warning",
      detail: expect.stringContaining("expires in 1 day"),
    });
  });
});

describe("the machine", () => {
  test("A limit of memory below what a server needs is reported, and Chromium counts", () => {
    expect(memory(true, 512 * mebibyte)).toMatchObject({ state: "warning", setting: "scan.screenshots" });
    expect(memory(false, 512 * mebibyte)).toMatchObject({ state: "ok" });
    expect(memory(false, 256 * mebibyte)).toMatchObject({ state: "warning" });
  });

  test("A configuration that every user can change or replace is reported with the command that prevents it", async () => {
    const changes = async () =>
      (await results(["--offline"])).lines
        .filter(({ check, change }) => check === "secrets" && String(change).includes("o-w"))
        .map(({ what, change }) => [what, change]);
    const file = join(folder.path, "phishwatch.toml");
    expect(await changes()).toEqual([]);
    chmodSync(file, 0o606);
    chmodSync(folder.path, 0o707);
    mkdirSync(join(folder.path, "backups"), { recursive: true });
    chmodSync(join(folder.path, "backups"), 0o777);
    expect(await changes()).toEqual([
      ["configuration file", `run 'chmod o-w ${file}'`],
      ["folder of the configuration file", `run 'chmod o-w ${folder.path}'`],
      ["backup folder", `run 'chmod o-w ${join(folder.path, "backups")}'`],
    ]);
    chmodSync(join(folder.path, "backups"), 0o700);
    chmodSync(file, 0o600);
    chmodSync(folder.path, 0o1707);
    expect(await changes()).toEqual([]);
  });

  test("A limit of open files below what the endpoints can use at a time is reported", () => {
    const endpoint = (index: number) =>
      `[[webhooks.endpoints]]\nname = "e${index}"\nurl = "https://example.com"\nsecret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="\nconcurrency = 100\n`;
    const config = loaded(Array.from({ length: 30 }, (_, index) => endpoint(index)).join(""));
    expect(openFiles(config, 3_000)).toMatchObject({
      state: "warning",
      detail: expect.stringContaining("3500"),
    });
    expect(openFiles(config, 3_500)).toMatchObject({ state: "ok" });
  });

  test("A clock that is behind the newest event or the files of the database is an error", () => {
    expect(clock(now, [{ what: "the newest event", at: now + 60_000 }])).toMatchObject({ state: "ok" });
    expect(clock(now, [{ what: "the newest event", at: now + 2 * dayMs }])).toMatchObject({
      state: "error",
      detail: expect.stringMatching(/the newest event is of 2026-01-17 .* at least 2 days behind/),
    });
    mkdirSync(join(folder.path, "data"));
    const future = new Date(now + dayMs);
    utimesSync(folder.file("data/test.db", ""), future, future);
    expect(clock(now, fileTimes(storage.path))).toMatchObject({
      detail: expect.stringContaining("the last change of"),
    });
  });

  test.each([
    ["a local disk", 0xef53, 1_000_000, ["file-system: ok", "inodes: ok"]],
    ["a network file system", 0x6969, 1_000_000, ["file-system: error", "inodes: ok"]],
    ["CIFS, whose number has its sign extended", 0xff534d42 | 0, 0, ["file-system: error"]],
    ["memory", 0x01021994, 1_000_000, ["file-system: warning", "inodes: ok"]],
    ["a disk with few inodes", 0xef53, 5_000, ["file-system: ok", "inodes: warning"]],
    ["a disk without inodes", 0xef53, 5, ["file-system: ok", "inodes: error"]],
  ])("The database on %s is reported as such", (_, type, ffree, expected) => {
    const files = ffree === 0 ? 0 : 2_000_000;
    expect(states(describeFileSystem({ type, files, ffree }, "/data"))).toEqual(expected);
  });

  test("A retention or an archive that the disk cannot hold is reported with the value that it can", () => {
    const facts = {
      now,
      freeBytes: 1024 * mebibyte,
      databaseBytes: 512 * mebibyte,
      archiveBytes: 0,
      oldestEventAt: now - 5 * dayMs,
    };
    const config = loaded(
      '[archive]\nmax_size = "512MiB"\n[retention]\nevents = "30d"\ndeliveries = "30d"\n',
    );
    expect(growth(config, facts)).toMatchObject([
      { state: "warning", setting: "retention.deliveries", change: expect.stringContaining('"15d"') },
    ]);
    expect(growth(config, { ...facts, freeBytes: 4096 * mebibyte })).toEqual([]);
    expect(growth(config, { ...facts, oldestEventAt: now - dayMs })).toEqual([]);
    expect(growth(config, { ...facts, freeBytes: 300 * mebibyte, oldestEventAt: null })).toMatchObject([
      { setting: "archive.max_size", change: expect.stringContaining('"150MiB"') },
    ]);
  });
});

describe("what detection and lookups miss", () => {
  test("A protected or allowed domain that is a public suffix is reported", async () => {
    folder.file(
      "phishwatch.toml",
      `${defaultConfig}allow = ["pages.dev", "example-bank.de"]
[[protected_domains]]
domain = "github.io"
[[protected_domains]]
domain = "gov.uk"
keywords = ["hmrc"]
`,
    );
    const { of } = await results(["--offline"]);
    expect(of("protected-domains").slice(1)).toMatchObject([
      { what: "protected domain github.io", state: "ok", detail: expect.stringContaining("are checked") },
      { what: "protected domain gov.uk", state: "ok", detail: expect.stringContaining("count as yours") },
    ]);
    expect(of("allowed-domains")).toMatchObject([
      {
        detail: expect.stringContaining("pages.dev"),
        setting: 'protected_domains["example-bank.com"].allow',
      },
    ]);
  });

  test("A minimum similarity that hides nearly everything is reported", () => {
    expect(similarity(loaded("[detection]\nmin_similarity = 0.97\n"))).toMatchObject([{ state: "warning" }]);
    expect(similarity(loaded(""))).toEqual([]);
  });

  test("An appliance that nothing delivers names to is reported", () => {
    expect(originsOfNames(loaded('[scan]\nschedule = ""\n'))).toMatchObject([{ setting: "scan.schedule" }]);
    expect(originsOfNames(loaded(""))).toEqual([]);
  });

  test("A Chromium without its sandbox is reported", () => {
    const config = loaded(
      `[scan]\nscreenshots = "${process.execPath}"\n[screenshots]\nchromium_args = ["--no-sandbox"]\n`,
    );
    expect(screenshots(config)).toMatchObject({ state: "warning", setting: "screenshots.chromium_args" });
  });
});

describe("backups", () => {
  test("A missing, old or overdue backup is reported, and a backup that is due now is not", () => {
    const age = (schedule: string | null, days: number | undefined) =>
      ageResult(schedule, "/backups", days === undefined ? undefined : now - days * dayMs, now);
    const nightly = "30 2 * * *";
    expect(age(null, undefined)).toMatchObject({ state: "warning", setting: "backup.schedule" });
    expect(age(nightly, undefined)).toMatchObject({ state: "warning" });
    expect(age(null, 6)).toMatchObject({ state: "ok" });
    expect(age(null, 8)).toMatchObject({ state: "warning", detail: expect.stringContaining("8 days ago") });
    expect(age(nightly, 1)).toMatchObject({ state: "ok" });
    expect(age(nightly, 3)).toMatchObject({ detail: expect.stringContaining("a scheduled one is missing") });
  });

  test("The newest backup of a folder is found, a wrong secret and the disk of the database are reported, and a bucket is skipped offline", async () => {
    const backups = join(folder.path, "backups");
    const check = async (
      settings: string,
      options: { offline?: boolean; foreign?: { id: string; host: string } } = {},
    ) => {
      const { backup } = loaded(`[backup]\n${settings}\n`);
      const fillRandom = (bytes: Uint8Array) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
      const found = await backupResults(
        { backup, storage },
        { clock: systemClock, fillRandom, offline: false, ...options },
      );
      return found;
    };
    const at = `folder = "${backups}"\nschedule = "30 2 * * *"`;
    expect(await check(at)).toMatchObject([{ state: "warning", detail: `there is none in ${backups}` }]);
    expect(existsSync(backups)).toBe(false);
    const file = join(folder.path, "no-folder");
    writeFileSync(file, "");
    expect(await check(at.replace(backups, join(file, "backups")))).toMatchObject([
      { state: "error", setting: "backup.folder", detail: expect.stringContaining("cannot be created") },
    ]);

    const store = openStore({
      location: { kind: "folder", folder: backups },
      clock: systemClock,
      fillRandom: (bytes) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
      signal: AbortSignal.timeout(10_000),
    });
    const secret = "a-secret-of-the-backups";
    await (await openRepository({ store, secret, fillRandom: () => {}, createAt: now })).keepHead();
    await store.put("backups/2026-01-14-023000.json", Buffer.from("{}"));
    await store.put("backups/2026-01-13-023000-2.json", Buffer.from("{}"));
    mkdirSync(join(folder.path, "data"));
    const encrypted = `${at}\nencrypt_with = "${secret}"`;
    expect(await check(encrypted)).toMatchObject([
      { what: "backups", detail: expect.stringContaining("is of 2026-01-14 02:30 UTC") },
      { what: "place of backups", state: "warning", setting: "backup.folder" },
    ]);
    expect(await check(encrypted.replace(secret, "another-secret-than-that"))).toMatchObject([
      { state: "error", setting: "backup.encrypt_with" },
    ]);
    expect(await check(encrypted, { foreign: { id: "2026-01-14-023000", host: "former" } })).toMatchObject([
      { state: "warning", detail: expect.stringContaining("former made 2026-01-14-023000") },
      { what: "place of backups" },
    ]);
    await store.put("phishwatch-backups.json", Buffer.from("{}"));
    expect(await check(encrypted)).toMatchObject([
      { state: "warning", detail: expect.stringContaining("phishwatch-backups.json is damaged") },
      { what: "place of backups" },
    ]);
    const bucket = 's3 = "s3://backups"\ns3_access_key = "a"\ns3_secret_key = "b"';
    expect(await check(bucket, { offline: true })).toMatchObject([
      { state: "warning", setting: "backup.encrypt_with" },
      { state: "skipped" },
    ]);
  });
});
