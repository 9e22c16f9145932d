import { afterEach, beforeEach, expect, test } from "bun:test";
import { createLogListLoader } from "../../../src/engines/certificate-transparency/list-loading/log-list-loader.ts";
import type { CertificateLogsConfig } from "../../../src/platform/config/config.ts";
import { createLog } from "../../../src/platform/lib/log.ts";
import {
  createFollowedLogs,
  type FollowedLogs,
} from "../../../src/intake/sources/certificate-logs/followed-logs.ts";
import { createLogSigner } from "../../support/log-entries.ts";
import { startLogServer, type LogServer } from "../../support/log-server.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { until } from "../../support/until.ts";

const hourMs = 3_600_000;
const signers = { first: createLogSigner(), second: createLogSigner() };

let server: LogServer;
let stores: Stores;
let running: FollowedLogs | undefined;
let changes = 0;
/** Response to the next requests for the list. */
let respond: (request: Request) => Response;

beforeEach(() => {
  server = startLogServer();
  stores = openStores();
  changes = 0;
  server.serve("/list.json", (request) => respond(request));
});
afterEach(async () => {
  await running?.stop();
  await server.stop();
  stores.dispose();
});

/** Returns a list with logs in these states. */
function listOf(states: Partial<Record<keyof typeof signers, string>>, day: number): string {
  const logs = Object.entries(states).map(([name, state]) => {
    const { key, logId } = signers[name as keyof typeof signers];
    return {
      description: name,
      log_id: logId,
      key,
      url: `https://${name}.test/`,
      state: { [state]: { timestamp: "2026-01-01T00:00:00Z" } },
    };
  });
  return JSON.stringify({
    version: "1",
    log_list_timestamp: `2026-01-0${day}T00:00:00Z`,
    operators: [{ name: "Operator", logs }],
  });
}

function start(config: Partial<CertificateLogsConfig> = {}): FollowedLogs {
  const { clock, database } = stores;
  const source = { kind: "url", url: `${server.url}list.json` } as const;
  const followed = createFollowedLogs({
    clock,
    config: { extraLogs: [], firstStart: "end", logList: source, operators: [], rates: [], ...config },
    database,
    loader: () =>
      createLogListLoader({
        source,
        clock,
        resolveHost: () => Promise.resolve([]),
        userAgent: "phishwatch/1.0.0",
      }),
    log: createLog({ level: "silent", format: "json", clock, write: () => {} }),
    random: () => 0.5,
  });
  followed.start(() => void changes++);
  running = followed;
  return followed;
}

const names = (followed: FollowedLogs) => followed.logs().map(({ description }) => description);
/** Waits for the load that is in progress, or lets time pass until one is due. */
const loaded = (count: number) =>
  until(() => {
    if (changes >= count) return true;
    stores.clock.advance(60_000);
    return false;
  }, `${count} loads`);

test("New logs of the list are followed, retired ones dropped, and the list survives a restart", async () => {
  respond = () => new Response(listOf({ first: "usable" }, 1));
  const followed = start();
  expect(followed.logs()).toEqual([]);
  await loaded(1);
  expect(names(followed)).toEqual(["first"]);
  respond = () => new Response(listOf({ first: "retired", second: "qualified" }, 2));
  await loaded(2);
  expect(names(followed)).toEqual(["second"]);
  await followed.stop();
  respond = () => new Response("", { status: 500 });
  expect(names(start())).toEqual(["second"]);
});

test.each<{ operators: string[] }>([
  { operators: ["none"] },
  { operators: ["Own log"] },
  { operators: ["NONE", "own log"] },
])(
  "The list is not loaded, and nothing is a problem, if no public log can be followed: $operators",
  async ({ operators }) => {
    let requests = 0;
    respond = () => {
      requests += 1;
      return new Response("", { status: 500 });
    };
    const { key } = createLogSigner();
    const own = {
      name: "Own log",
      url: `${server.url}log/`,
      origin: "log",
      protocol: "rfc6962",
      key,
    } as const;
    const followed = start({ operators, extraLogs: [own] });
    expect(names(followed)).toEqual(["Own log"]);
    stores.clock.advance(25 * hourMs);
    await followed.stop();
    expect([requests, changes]).toEqual([0, 0]);
    expect(followed.status()).toMatchObject({ isNeeded: false, publishedAt: null, problem: null });
  },
);

test("A list that cannot be refreshed stays in use, and is a problem after a day", async () => {
  respond = () => new Response(listOf({ first: "usable" }, 1), { headers: { etag: '"1"' } });
  const followed = start();
  await loaded(1);
  const conditions: (string | null)[] = [];
  respond = (request) => {
    conditions.push(request.headers.get("if-none-match"));
    return new Response("<!doctype html><title>Sign in</title>");
  };
  await loaded(4);
  expect(followed.status().problem).toBeNull();
  expect(names(followed)).toEqual(["first"]);
  stores.clock.advance(25 * hourMs);
  await loaded(changes + 1);
  expect(followed.status().problem).toMatch(
    /^the log list could not be refreshed for .* an HTML page instead of a log list/,
  );
  expect(names(followed)).toEqual(["first"]);
  expect(conditions).toContain('"1"');
  respond = () => new Response(null, { status: 304 });
  await until(() => {
    stores.clock.advance(60_000);
    return followed.status().problem === null;
  }, "the list is refreshed");
});

test("Without a list, only declared logs are followed, and errors in the configuration are named", async () => {
  respond = () => new Response("{}");
  const { key } = signers.first;
  const declared = {
    name: "internal",
    key,
    url: "http://log.test/",
    origin: "log.test",
    protocol: "static",
  } as const;
  const extraLogs = [
    declared,
    { ...declared, name: "broken", key: "AAAA" },
    { ...declared, name: "copied", url: "http://other.test/" },
  ];
  const followed = start({ extraLogs });
  await loaded(1);
  expect(names(followed)).toEqual(["internal"]);
  expect(followed.status().problem).toMatch(
    /extra_logs "broken": .*extra_logs "copied": it has the key of "internal".*; there is no log list: /,
  );
  // A log of the list that is declared too is followed once, as it is declared.
  respond = () => new Response(listOf({ first: "usable", second: "usable" }, 1));
  await loaded(2);
  expect(names(followed)).toEqual(["second", "internal"]);
});

test("An operator that the list does not know is named, because it is probably misspelled", async () => {
  respond = () => new Response(listOf({ first: "usable" }, 1));
  const rates = [
    { operator: "OPERATOR", requestsPerSecond: 1 },
    { operator: "DigiCart", requestsPerSecond: 1 },
  ];
  const followed = start({ operators: ["Operater"], rates });
  await loaded(1);
  expect(followed.status().problem).toBe(
    'certificate_logs.operators: "Operater" is not an operator of the log list; ' +
      'certificate_logs.rates: "DigiCart" is not an operator of the log list; its operators are Operator',
  );
  expect(followed.status().choices).toMatchObject([{ decision: "operator" }]);
});

test("A read-only log is followed until it is read to its end", () => {
  const followed = start({ logList: { kind: "builtin" }, firstStart: "beginning" });
  const readonly = followed.status().choices.filter(({ state }) => state === "readonly");
  expect(readonly.length).toBeGreaterThan(0);
  for (const { log, decision } of readonly)
    expect([log.description, decision]).toEqual([log.description, "followed"]);
});
