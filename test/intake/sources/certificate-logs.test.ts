import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { LogProtocol } from "../../../src/engines/certificate-transparency/log.ts";
import { parseRange, rootOf } from "../../../src/engines/certificate-transparency/trees/compact-range.ts";
import { stateText } from "../../../src/intake/sources/certificate-logs/status.ts";
import type { EntryOptions } from "../../support/log-entries.ts";
import { logFaults } from "../../support/log-server-faults.ts";
import { analyst } from "../../support/stores.ts";
import { openLogWorld, type LogWorld } from "../../support/log-world.ts";

const lookAlike = "login-example-bank.com";
const other = "example-bank-support.net";

let world: LogWorld;
beforeEach(() => void (world = openLogWorld()));
afterEach(() => world.dispose());

/** Adds a log whose entries have ordinary names, except for those at the given indices. */
function addLog(
  protocol: LogProtocol,
  planted: Record<number, Partial<EntryOptions>>,
  options: { name?: string; hasNames?: boolean; batch?: number } = {},
) {
  // An entry is made whenever it is served, and must be the same each time.
  const timestamp = Date.UTC(2026, 0, 15);
  return world.server.add({
    name: protocol,
    protocol,
    entryAt: (index) => ({
      names: [`host${index}.example.org`],
      kind: "precertificate",
      timestamp,
      ...planted[index],
    }),
    ...options,
  });
}

/** Hash of the tree that was verified last. */
function verifiedRoot(logId: string): string {
  const { verifiedRange } = world.row(logId)!;
  return Buffer.from(rootOf(parseRange(verifiedRange!)!)).toString("hex");
}

const rootAt = (log: ReturnType<typeof addLog>, size: number) =>
  Buffer.from(log.rootAt(size)).toString("hex");
const position = (log: ReturnType<typeof addLog>) => world.row(log.log.logId)?.position;

describe.each(["static", "rfc6962"] as const)("a %s log", (protocol) => {
  test("is followed from its end, and a look-alike is recorded with its certificate and the log's time", async () => {
    const at = world.clock.now() - 60_000;
    const log = addLog(protocol, {
      10: { names: [other] },
      600: { names: [lookAlike, `www.${lookAlike}`], serial: "0abc", timestamp: at },
    });
    log.grow(300, at);
    world.start([log.log]);
    await world.until(() => position(log) === 300, "the end is known");
    expect(world.names()).toEqual([]);
    log.grow(468, at + 1);
    await world.until(() => position(log) === 768, "the new entries are read");
    expect(world.names()).toEqual([lookAlike, `www.${lookAlike}`]);
    expect(world.certificates()).toMatchObject([
      { log: protocol, index: 600, isVerified: true, seenAt: at },
      { log: protocol, index: 600 },
    ]);
    expect(world.certificates()[0]!.entryUrl).toBe(
      protocol === "static"
        ? `${log.log.url}tile/data/002`
        : `${log.log.url}ct/v1/get-entries?start=600&end=600`,
    );
    expect(verifiedRoot(log.log.logId)).toBe(rootAt(log, 768));
    expect(world.row(log.log.logId)).toMatchObject({ entries: 468, matched: 2, created: 2, skipped: 0 });
    expect(world.archived).toContain("host767.example.org");
    expect(world.archived).not.toContain("host10.example.org");
  });

  test("is read from its beginning if the configuration says so", async () => {
    const log = addLog(protocol, { 10: { names: [other] } });
    log.grow(1_024);
    world.start([log.log], { firstStart: "beginning", catchUpMs: 1 });
    await world.until(() => position(log) === 1_024, "all entries are read");
    expect(world.names()).toEqual([other]);
    expect(verifiedRoot(log.log.logId)).toBe(rootAt(log, 1_024));
  });

  test("continues at its position after a restart, and repeats no request for entries", async () => {
    const log = addLog(protocol, { 260: { names: [lookAlike] }, 520: { names: [other] } });
    log.grow(256);
    world.start([log.log]);
    await world.until(() => position(log) === 256, "the end is known");
    log.grow(256);
    await world.until(() => position(log) === 512, "the first entries are read");
    await world.stop();
    log.grow(256);
    const before = world.server.requests.length;
    world.start([log.log]);
    await world.until(() => position(log) === 768, "the other entries are read");
    const entries = world.server.requests.slice(before).filter((path) => /data|get-entries/.test(path));
    expect(entries).toHaveLength(1);
    expect(world.names()).toEqual([other, lookAlike]);
    expect(world.created()).toBe(2);
    expect(verifiedRoot(log.log.logId)).toBe(rootAt(log, 768));
  });

  test("is asked for nothing but its size while it does not grow", async () => {
    const log = addLog(protocol, {});
    log.grow(512);
    world.start([log.log]);
    await world.until(() => position(log) === 512, "the end is known");
    world.server.requests.length = 0;
    await world.until(() => world.server.requests.length >= 5, "the log was polled");
    expect(world.server.requests.filter((path) => !/checkpoint|get-sth/.test(path))).toEqual([]);
  });

  test("that serves entries which contradict its root returns to the last verified position, and others go on", async () => {
    const log = addLog(protocol, { 700: { names: [lookAlike] } });
    const honest = addLog(protocol, { 300: { names: [other] } }, { name: "honest" });
    log.grow(256);
    honest.grow(256);
    const source = world.start([log.log, honest.log]);
    await world.until(() => position(log) === 256 && position(honest) === 256, "the ends are known");
    log.grow(512);
    log.pretend({ rootHash: new Uint8Array(32) });
    honest.grow(256);
    await world.until(
      () => source.logs().some(({ state }) => state === "mismatch"),
      "the mismatch is reported",
    );
    expect(world.row(log.log.logId)).toMatchObject({
      position: 256,
      mismatch: "the first 768 entries contradict the tree head that the log signed",
    });
    expect(verifiedRoot(log.log.logId)).toBe(rootAt(log, 256));
    await world.until(() => position(honest) === 512, "the other log is read");
    expect(world.names()).toEqual([other]);
    expect(source.status().problem).toContain("contradict the tree head");

    log.pretend(undefined);
    await world.until(() => position(log) === 768, "the log is read again");
    expect(world.row(log.log.logId)!.mismatch).toBeNull();
    expect(world.names()).toEqual([other, lookAlike]);
    expect(verifiedRoot(log.log.logId)).toBe(rootAt(log, 768));
  });

  test("that shrinks is reported, keeps its position, and is followed again when it is back", async () => {
    const log = addLog(protocol, {});
    log.grow(512);
    const source = world.start([log.log]);
    await world.until(() => position(log) === 512, "the end is known");
    log.pretend({ size: 100, timestamp: world.clock.now() + 86_400_000 });
    await world.until(() => source.logs()[0]!.state === "mismatch", "the mismatch is reported");
    expect(world.row(log.log.logId)).toMatchObject({
      position: 512,
      mismatch: "the log shrank from 512 to 100 entries",
    });
    log.pretend(undefined);
    log.grow(256);
    await world.until(() => position(log) === 768, "the log is followed again");
  });

  test("whose replica lags behind is no mismatch", async () => {
    const log = addLog(protocol, {});
    log.grow(512, 1_000);
    const source = world.start([log.log]);
    await world.until(() => position(log) === 512, "the end is known");
    log.pretend({ size: 256, rootHash: new Uint8Array(32), timestamp: 999 });
    world.server.requests.length = 0;
    await world.until(() => world.server.requests.length >= 3, "the log was polled");
    expect(source.logs()[0]!.state).toBe("following");
    expect(position(log)).toBe(512);
  });

  test("skips entries older than catch_up after a pause, counts them, and still verifies the rest", async () => {
    const start = world.clock.now();
    const hourMs = 3_600_000;
    // One entry every three minutes.
    const entryAt = (index: number): Partial<EntryOptions> => ({ timestamp: start + index * 180_000 });
    const planted = Object.fromEntries(Array.from({ length: 4_096 }, (_, index) => [index, entryAt(index)]));
    const log = addLog(protocol, {
      ...planted,
      300: { ...entryAt(300), names: [other] },
      4_000: { ...entryAt(4_000), names: [lookAlike] },
    });
    log.grow(256, start + 256 * 180_000);
    world.start([log.log], { catchUpMs: 24 * hourMs });
    await world.until(() => position(log) === 256, "the end is known");
    await world.stop();
    log.grow(3_840, start + 4_096 * 180_000);
    world.start([log.log], { catchUpMs: 24 * hourMs });
    await world.until(() => position(log) === 4_096, "the end is reached");
    const { skipped, entries } = world.row(log.log.logId)!;
    expect(skipped + entries).toBe(3_840);
    expect(entries).toBeGreaterThanOrEqual(24 * 20);
    expect(entries).toBeLessThan(24 * 20 + 300);
    expect(world.names()).toEqual([lookAlike]);
    expect(verifiedRoot(log.log.logId)).toBe(rootAt(log, 4_096));
    expect(world.lines.map(({ message }) => message)).toContain(
      "certificate log entries skipped: older than certificate_logs.catch_up",
    );
  });

  test("that serves wrong entries after a pause returns to where it resumed, not to the entries that it skipped", async () => {
    const start = world.clock.now();
    const planted = Object.fromEntries(
      Array.from({ length: 4_096 }, (_, index) => [
        index,
        { timestamp: start + index * 180_000, names: ["a.example"] },
      ]),
    );
    const log = addLog(protocol, planted);
    log.grow(256, start + 256 * 180_000);
    world.start([log.log], { catchUpMs: 86_400_000 });
    await world.until(() => position(log) === 256, "the end is known");
    await world.stop();
    log.grow(3_840, start + 4_096 * 180_000);
    planted[4_000]!.names = ["b.example"];
    const source = world.start([log.log], { catchUpMs: 86_400_000 });
    await world.until(() => source.logs()[0]!.state === "mismatch", "the mismatch is reported");
    const { skipped } = world.row(log.log.logId)!;
    expect(skipped).toBeGreaterThan(3_000);
    expect(position(log)).toBe(256 + skipped);
    planted[4_000]!.names = ["a.example"];
    await world.until(() => position(log) === 4_096, "the end is reached");
    expect(world.row(log.log.logId)).toMatchObject({ skipped, mismatch: null });
  });
});

test("The entries of an incomplete tile are read after two minutes, and the checkpoint is verified before", async () => {
  const log = addLog("static", { 260: { names: [other] }, 600: { names: [lookAlike] } });
  log.grow(256);
  world.start([log.log]);
  await world.until(() => position(log) === 256, "the end is known");
  log.grow(400);
  await world.until(() => position(log) === 512, "the full tile is read");
  expect(world.row(log.log.logId)!.verifiedRange).toEqual(world.row(log.log.logId)!.range);
  expect(world.server.count("tile/0/002.p/144")).toBe(1);
  expect(world.server.count("tile/data/002")).toBe(0);
  const since = world.clock.now();
  await world.until(() => position(log) === 656, "the incomplete tile is read");
  const waitedMs = world.clock.now() - since;
  expect(waitedMs).toBeGreaterThanOrEqual(110_000);
  expect(waitedMs).toBeLessThan(180_000);
  expect(world.names()).toEqual([other, lookAlike]);
  expect(verifiedRoot(log.log.logId)).toBe(rootAt(log, 656));
  log.grow(112);
  await world.until(() => position(log) === 768, "the tile is full");
  expect(world.row(log.log.logId)).toMatchObject({ entries: 512, created: 2 });
  expect(verifiedRoot(log.log.logId)).toBe(rootAt(log, 768));
});

test("A precertificate, its certificate, other logs and a renewal of the name are one threat and one event", async () => {
  const entry = { names: [lookAlike, `*.${lookAlike}`], serial: "77" };
  const first = addLog("static", { 256: entry, 300: { ...entry, kind: "certificate" } });
  const second = addLog("rfc6962", { 3: entry, 4: { ...entry, serial: "78" } });
  first.grow(256);
  world.start([first.log, second.log]);
  await world.until(() => position(first) === 256 && position(second) === 0, "the ends are known");
  first.grow(256);
  second.grow(100);
  await world.until(() => position(first) === 512 && position(second) === 100, "all entries are read");
  expect(world.names()).toEqual([lookAlike]);
  expect(world.created()).toBe(1);
  expect(
    world
      .certificates()
      .map(({ serial }) => serial)
      .sort(),
  ).toEqual(["77", "78"]);
});

test("A certificate after the decision makes a resolved threat active again, a repeated one does not", async () => {
  const later = world.clock.now() + 86_400_000;
  const log = addLog("static", {
    256: { names: [lookAlike], serial: "01" },
    512: { names: [lookAlike], serial: "01", timestamp: later },
    768: { names: [lookAlike], serial: "02", timestamp: later },
  });
  log.grow(256);
  world.start([log.log]);
  await world.until(() => position(log) === 256, "the end is known");
  log.grow(256);
  await world.until(() => position(log) === 512, "the first certificate is read");
  const [threat] = world.threats.list({}, { page: 1, perPage: 1 }).threats;
  world.threats.changeStatus([threat!.id], "resolved", { by: analyst });
  world.clock.advance(2 * 86_400_000);
  const status = () => world.threats.get(threat!.id)!.status;
  log.grow(256);
  await world.until(() => position(log) === 768, "the repeated certificate is read");
  expect(status()).toBe("resolved");
  log.grow(256);
  await world.until(() => position(log) === 1_024, "the new certificate is read");
  expect(status()).toBe("active");
});

test("Names tiles are read instead of certificates where a log serves them, and marked as unverified", async () => {
  const planted = { 300: { names: [lookAlike] }, 600: { names: [other] } };
  const log = addLog("static", planted, { hasNames: true });
  log.grow(256);
  const source = world.start([log.log], { namesOnly: true });
  await world.until(() => position(log) === 256, "the end is known");
  log.grow(256);
  await world.until(() => position(log) === 512, "the names are read");
  expect(world.server.count("tile/data")).toBe(0);
  expect(world.certificates()).toMatchObject([
    { isVerified: false, issuer: "", serial: "", notBefore: null },
  ]);
  expect(stateText(source.logs()[0]!)).toBe("following (names not verified)");

  // Certificates that follow names tiles cannot be verified either, even if the log no longer serves these.
  world.server.fail("tile/names", logFaults.status(404));
  log.grow(256);
  await world.until(() => position(log) === 768, "the certificates are read");
  expect(world.certificates().map(({ isVerified }) => isVerified)).toEqual([false, false]);

  // Verification continues as soon as names tiles are turned off.
  await world.stop();
  log.grow(256);
  const again = world.start([log.log]);
  await world.until(() => position(log) === 1_024, "the other certificates are read");
  expect(verifiedRoot(log.log.logId)).toBe(rootAt(log, 1_024));
  expect(stateText(again.logs()[0]!)).toBe("following");
  expect(world.names()).toEqual([other, lookAlike]);
});

test("A log that serves no names tiles is read and verified completely", async () => {
  const log = addLog("static", { 300: { names: [lookAlike] } });
  log.grow(256);
  world.start([log.log], { namesOnly: true });
  await world.until(() => position(log) === 256, "the end is known");
  log.grow(256);
  await world.until(() => position(log) === 512, "the entries are read");
  expect(world.certificates()).toMatchObject([{ isVerified: true }]);
  expect(verifiedRoot(log.log.logId)).toBe(rootAt(log, 512));
});

test("A domain that is protected while logs are followed is found in the next entries, and in those that are being stored", async () => {
  const fresh = "harbor-lights.com";
  const log = addLog("static", { 300: { names: [`login-${fresh}`] }, 600: { names: [`my-${fresh}`] } });
  log.grow(256);
  world.start([log.log]);
  await world.until(() => position(log) === 256, "the end is known");
  log.grow(256);
  // The names are screened with the tables that the pipeline has; the domain is added before they are stored.
  await world.until(() => world.server.count("tile/data/001") === 1, "the entries are requested");
  world.domains.add({ domain: fresh }, { by: analyst });
  await world.until(() => position(log) === 512, "the entries are stored");
  log.grow(256);
  await world.until(() => position(log) === 768, "the next entries are stored");
  expect(world.names()).toEqual([`login-${fresh}`, `my-${fresh}`]);
});

test("A paused source asks for nothing and continues at its position when it is resumed", async () => {
  const log = addLog("static", { 300: { names: [lookAlike] } });
  log.grow(256);
  const source = world.start([log.log]);
  await world.until(() => position(log) === 256, "the end is known");
  source.pausing!.pause({ by: analyst });
  log.grow(256);
  const before = world.server.requests.length;
  for (let minute = 0; minute < 30; minute++) world.clock.advance(60_000);
  await source.idle();
  expect(world.server.requests.length).toBe(before);
  expect(source.status().state).toBe("paused");
  source.pausing!.resume({ by: analyst });
  await world.until(() => position(log) === 512, "the entries are read");
  expect(world.names()).toEqual([lookAlike]);
});

test("A log that leaves the list is no longer read, and one that joins is", async () => {
  const first = addLog("static", {});
  const second = addLog("rfc6962", {});
  first.grow(256);
  second.grow(256);
  const source = world.start([first.log]);
  await world.until(() => position(first) === 256, "the first is followed");
  world.change([second.log]);
  await world.until(() => position(second) === 256, "the second is followed");
  world.server.requests.length = 0;
  await world.until(() => world.server.count("get-sth") >= 3, "the second is polled");
  expect(world.server.count("checkpoint")).toBe(0);
  expect(source.logs().map(({ description }) => description)).toEqual(["rfc6962"]);
});

test("A read-only log is read to its end, and then left alone", async () => {
  const log = addLog("static", { 390: { names: [lookAlike] } });
  log.grow(256);
  const source = world.start([{ ...log.log, finalSize: 400 }]);
  await world.until(() => position(log) === 256, "the end is known");
  log.grow(144);
  await world.until(() => source.logs()[0]!.state === "complete", "the log is complete");
  expect(world.names()).toEqual([lookAlike]);
  expect(verifiedRoot(log.log.logId)).toBe(rootAt(log, 400));
  const before = world.server.requests.length;
  for (let hour = 0; hour < 24; hour++) world.clock.advance(3_600_000);
  await source.idle();
  expect(world.server.requests.length).toBe(before);
});

test("Malformed responses, errors and nonsense certificates of a log are reported, retried, and lose nothing", async () => {
  const log = addLog("static", { 260: { bytes: new Uint8Array(40) }, 300: { names: [lookAlike] } });
  log.grow(256);
  const source = world.start([log.log]);
  await world.until(() => position(log) === 256, "the end is known");
  const faults = [logFaults.html(), logFaults.status(500), logFaults.cutGzip(), logFaults.body("{")];
  for (const fault of faults) world.server.fail("tile/data/001", fault, 1);
  log.grow(256);
  await world.until(() => source.logs()[0]!.state === "failing", "the failure is reported");
  expect(source.status().problem).toContain("1 of 1 log cannot be read: static");
  await world.until(() => position(log) === 512, "the entries are read");
  await world.until(() => source.logs()[0]!.state === "following", "the log is read again");
  const row = world.row(log.log.logId)!;
  expect(row).toMatchObject({ entries: 256, malformed: 1 });
  expect(row.errors).toBeGreaterThanOrEqual(faults.length);
  expect(world.names()).toEqual([lookAlike]);
});

test("A thread that crashes while entries are being read is started again, and nothing is lost or counted twice", async () => {
  const log = addLog("static", { 300: { names: [lookAlike] }, 2_000: { names: [other] } });
  log.grow(2_048);
  world.start([log.log], { firstStart: "beginning" });
  for (const requests of [2, 5]) {
    await world.until(() => world.server.count("tile/data") >= requests, "entries are read");
    world.crash();
  }
  await world.until(() => position(log) === 2_048, "all entries are read");
  expect(world.row(log.log.logId)).toMatchObject({ entries: 2_048, created: 2 });
  expect(world.names()).toEqual([other, lookAlike]);
  expect(world.created()).toBe(2);
  expect(verifiedRoot(log.log.logId)).toBe(rootAt(log, 2_048));
});

test("A thread that cannot be started is started later, and the server goes on", async () => {
  const log = addLog("static", {});
  log.grow(256);
  world.refuseThreads(2);
  world.start([log.log]);
  await world.until(() => position(log) === 256, "the end is known");
  const failures = world.lines.filter(({ message }) => message.startsWith("the thread that reads"));
  expect(failures.map(({ level, error }) => [level, error])).toMatchObject([
    ["warn", { message: "too many open files" }],
    ["warn", { message: "too many open files" }],
  ]);
});

test("Entries that cannot be stored are read again, and other logs go on", async () => {
  const log = addLog("static", { 300: { names: [lookAlike] } });
  log.grow(256);
  const source = world.start([log.log]);
  await world.until(() => position(log) === 256, "the end is known");
  world.database.sqlite.run(
    "CREATE TRIGGER refuse BEFORE INSERT ON threats BEGIN SELECT RAISE(ABORT, 'no threats today'); END",
  );
  log.grow(256);
  await world.until(() => source.logs()[0]!.state === "failing", "the failure is reported");
  expect(position(log)).toBe(256);
  world.database.sqlite.run("DROP TRIGGER refuse");
  await world.until(() => position(log) === 512, "the entries are stored");
  expect(world.row(log.log.logId)).toMatchObject({ entries: 256, created: 1 });
});
