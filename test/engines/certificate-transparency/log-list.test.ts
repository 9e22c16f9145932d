import { describe, expect, test } from "bun:test";
import {
  builtinLogList,
  isSignedByGoogle,
} from "../../../src/engines/certificate-transparency/log-list/builtin-list.ts";
import {
  chooseLogs,
  unknownOperators,
  extraLog,
} from "../../../src/engines/certificate-transparency/log-list/choose-logs.ts";
import {
  LogListFormatError,
  parseLogList,
} from "../../../src/engines/certificate-transparency/log-list/log-list.ts";
import { LogError } from "../../../src/engines/certificate-transparency/log.ts";
import { createLogSigner } from "../../support/log-entries.ts";

const signer = createLogSigner();
const now = Date.UTC(2026, 9, 1);
const interval = { start_inclusive: "2026-07-01T00:00:00Z", end_exclusive: "2027-01-01T00:00:00Z" };
const usable = { usable: { timestamp: "2026-01-01T00:00:00Z" } };

type Fields = Record<string, unknown>;

function classicLog(fields: Fields = {}): Fields {
  const { key, logId } = createLogSigner();
  return {
    description: "Classic",
    log_id: logId,
    key,
    url: "https://log.example/2026h2/",
    mmd: 86_400,
    state: usable,
    temporal_interval: interval,
    ...fields,
  };
}

function tiledLog(fields: Fields = {}): Fields {
  return {
    ...classicLog({ description: "Tiled", url: undefined }),
    submission_url: "https://submit.example/2026h2/",
    monitoring_url: "https://monitor.example/2026h2",
    ...fields,
  };
}

function listText(logs: Fields[], tiledLogs: Fields[] = [], fields: Fields = {}): string {
  return JSON.stringify({
    version: "1.2",
    log_list_timestamp: "2026-09-30T12:00:00Z",
    operators: [{ name: "Example", email: [], logs, tiled_logs: tiledLogs }],
    ...fields,
  });
}

const parse = (logs: Fields[], tiledLogs?: Fields[]) => parseLogList(listText(logs, tiledLogs));

describe("the built-in log list", () => {
  const bytes = Buffer.from(builtinLogList.text);

  test("is signed by its publisher, and no other text is", () => {
    expect(isSignedByGoogle(bytes, builtinLogList.signature)).toBe(true);
    for (const index of [0, 1_000, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[index]! ^= 1;
      expect(isSignedByGoogle(changed, builtinLogList.signature)).toBe(false);
    }
    expect(isSignedByGoogle(bytes, new Uint8Array(512))).toBe(false);
    expect(isSignedByGoogle(bytes, new Uint8Array(0))).toBe(false);
  });

  test("contains 56 logs of 8 operators that can all be read", () => {
    const { logs, problems, version, timestamp } = parseLogList(builtinLogList.text);
    expect(problems).toEqual([]);
    expect([logs.length, version, timestamp]).toEqual([56, "85.92", Date.UTC(2026, 4, 29, 13, 42, 48)]);
    expect(new Set(logs.map(({ log }) => log.operator)).size).toBe(8);
    expect(logs.filter(({ log }) => log.protocol === "static")).toHaveLength(21);
  });

  test("leads to the logs that grow, without retired, expired and placeholder logs", () => {
    const choices = chooseLogs(parseLogList(builtinLogList.text), {
      operators: [],
      now: Date.UTC(2026, 10, 22),
      nextIndex: () => null,
      firstIndex: "end",
    });
    const of = (decision: string) => choices.filter((choice) => choice.decision === decision);
    expect(of("followed")).toHaveLength(37);
    expect(of("state").map(({ state }) => state)).toEqual(["retired", "retired", "retired", "retired"]);
    expect(of("expired").length + of("complete").length).toBe(15);
    expect(
      choices.filter(({ log }) => /bogus/i.test(log.description) && log.url.includes("example.com")),
    ).toHaveLength(2);
    expect(of("followed").some(({ log }) => log.url.includes("example.com"))).toBe(false);
  });
});

describe("a log list", () => {
  test("contains logs of both protocols with their addresses and origins", () => {
    const { logs } = parse([classicLog()], [tiledLog()]);
    expect(logs.map(({ log }) => [log.protocol, log.url, log.origin, log.operator, log.isExtra])).toEqual([
      ["static", "https://monitor.example/2026h2/", "submit.example/2026h2", "Example", false],
      ["rfc6962", "https://log.example/2026h2/", "log.example/2026h2", "Example", false],
    ]);
    expect(logs[0]!.interval).toEqual({ start: Date.UTC(2026, 6, 1), end: Date.UTC(2027, 0, 1) });
  });

  test("contains a log once if it is listed with both protocols, as the static one", () => {
    const { logs } = parse(
      [classicLog({ log_id: signer.logId, key: signer.key })],
      [tiledLog({ log_id: signer.logId, key: signer.key })],
    );
    expect(logs.map(({ log }) => log.protocol)).toEqual(["static"]);
  });

  test("may contain logs without state, interval and type, and operators without one of the lists", () => {
    const bare = classicLog({ state: undefined, temporal_interval: undefined });
    const { logs } = parseLogList(
      JSON.stringify({
        log_list_timestamp: "2026-09-30T12:00:00Z",
        operators: [{ name: "A", logs: [bare] }, {}, null],
      }),
    );
    expect(logs.map(({ state, interval: none, isProduction }) => [state, none, isProduction])).toEqual([
      ["none", null, true],
    ]);
  });

  test("has the final size of a log that is read-only", () => {
    const state = { readonly: { timestamp: "…", final_tree_head: { tree_size: 77, sha256_root_hash: "…" } } };
    expect(parse([classicLog({ state })]).logs[0]!.log.finalSize).toBe(77);
    expect(parse([classicLog({ state: { readonly: {} } })]).logs[0]!.log.finalSize).toBeNull();
    expect(parse([classicLog()]).logs[0]!.log.finalSize).toBeNull();
  });

  const broken: [string, Fields, string][] = [
    ["another key than its ID says", { log_id: signer.logId }, "log_id is not the hash"],
    ["no key", { key: undefined }, "SubjectPublicKeyInfo"],
    ["a key that is no base64", { key: "!" }, "not base64"],
    ["an address without TLS", { url: "http://log.example/" }, "is not an https:// URL"],
    ["an address with a user name", { url: "https://user@log.example/" }, "is not an https:// URL"],
    ["no address", { url: 5 }, "is not an https:// URL"],
    ["an invalid interval", { temporal_interval: { start_inclusive: "x" } }, "temporal_interval"],
  ];
  for (const [what, fields, reason] of broken) {
    test(`reports a log with ${what}, and contains the others`, () => {
      const { logs, problems } = parse([classicLog({ description: "Broken", ...fields }), classicLog()]);
      expect(logs).toHaveLength(1);
      expect(problems).toEqual([{ description: "Broken", reason: expect.stringContaining(reason) }]);
    });
  }

  const rejected: [string, string, string][] = [
    ["HTML", "<!doctype html>", "is HTML or XML instead of JSON"],
    ["empty", "", "is not JSON"],
    ["another JSON text", `{"logs":[]}`, "has no operators"],
    ["null", "null", "has no operators"],
    ["without a time", listText([], [], { log_list_timestamp: 5 }), "no valid log_list_timestamp"],
  ];
  for (const [what, text, message] of rejected) {
    test(`is rejected if it is ${what}`, () => {
      const parsing = () => parseLogList(text);
      expect(parsing).toThrow(LogListFormatError);
      expect(parsing).toThrow(message);
    });
  }

  test("is rejected if it has more than 2,000 logs", () => {
    expect(() => parse(Array.from({ length: 2_001 }, () => ({})))).toThrow("more than 2000 logs");
  });
});

describe("the choice of logs", () => {
  const options = { operators: [], now, nextIndex: () => null, firstIndex: "end" } as const;
  const decide = (fields: Fields, more: Partial<Parameters<typeof chooseLogs>[1]> = {}) =>
    chooseLogs(parse([classicLog(fields)]), { ...options, ...more })[0]!.decision;
  const readonly = { readonly: { final_tree_head: { tree_size: 100 } } };

  test("follows logs that are qualified or usable", () => {
    expect(decide({})).toBe("followed");
    expect(decide({ state: { qualified: {} } })).toBe("followed");
    for (const state of [{ pending: {} }, { retired: {} }, { rejected: {} }, {}, undefined]) {
      expect(decide({ state })).toBe("state");
    }
  });

  test("leaves out test logs and logs that no browser accepts", () => {
    expect(decide({ log_type: "prod" })).toBe("followed");
    expect(decide({ log_type: "test" })).toBe("not_production");
    expect(decide({ log_type: "monitoring_only" })).toBe("not_production");
  });

  test("ends when the interval of a log is over", () => {
    expect(decide({}, { now: Date.UTC(2027, 0, 1) - 1 })).toBe("followed");
    expect(decide({}, { now: Date.UTC(2027, 0, 1) })).toBe("expired");
    expect(decide({ temporal_interval: undefined }, { now: Date.UTC(2099, 0, 1) })).toBe("followed");
  });

  test("follows a read-only log until its last entry is read", () => {
    expect(decide({ state: readonly })).toBe("complete");
    expect(decide({ state: readonly }, { firstIndex: "beginning" })).toBe("followed");
    expect(decide({ state: readonly }, { nextIndex: () => 99 })).toBe("followed");
    expect(decide({ state: readonly }, { nextIndex: () => 100 })).toBe("complete");
    expect(decide({ state: { readonly: {} } }, { nextIndex: () => 99 })).toBe("complete");
  });

  test("is limited to the configured operators, in any case, and reports those that do not exist", () => {
    expect(decide({}, { operators: ["EXAMPLE"] })).toBe("followed");
    expect(decide({}, { operators: ["Another"] })).toBe("operator");
    expect(unknownOperators(parse([classicLog()]), ["example", "Exmaple"])).toEqual(["Exmaple"]);
  });
});

describe("a declared log", () => {
  test("is identified by the hash of its key", () => {
    const declared = {
      name: "internal",
      key: signer.key,
      url: "http://10.0.0.1/",
      origin: "internal",
      protocol: "static",
    } as const;
    expect(extraLog(declared)).toMatchObject({ logId: signer.logId, operator: "internal", isExtra: true });
    expect(() => extraLog({ ...declared, key: "AAAA" })).toThrow(LogError);
  });
});
