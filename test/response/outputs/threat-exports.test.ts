import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { concurrentExportsMax } from "../../../src/response/outputs/exports/threat-exports.ts";
import { exportFormats } from "../../../src/response/outputs/exports/formats.ts";
import { openApi, type Api } from "../../support/api.ts";
import { parseCsv } from "../../support/csv.ts";
import { randomFrom, seed } from "../../support/random.ts";
import { analyst } from "../../support/stores.ts";
import { until } from "../../support/until.ts";

let api: Api;
let key: string;
beforeEach(() => {
  api = openApi();
  key = api.key();
});
afterEach(async () => {
  await api.server.stop(0);
  api.dispose();
});

const exported = (query: string, as = key) => api.call("GET", `/v1/threats/export?${query}`, { key: as });

/** Returns the ids in an export, in its order. */
function idsIn(format: (typeof exportFormats)[number], text: string): string[] {
  if (format === "csv")
    return parseCsv(text)
      .slice(1)
      .map(([id]) => id!);
  if (format === "jsonl")
    return text
      .split("\n")
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { id: string }).id);
  const { objects } = JSON.parse(text) as { objects: { external_references?: { external_id: string }[] }[] };
  return objects.flatMap(({ external_references: [reference] = [] }) => reference?.external_id ?? []);
}

/** Inserts many threats past the services, with long texts for a large export of few threats. */
function insertMany(count: number, registrarCharacters = 10): void {
  api.database.sqlite.run(`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    insert into threats (id, protected_domain_seq, domain, type, status, severity, similarity, source, reasons,
      severity_reasons, first_seen, created_at, status_changed_at, whois, screenshot_token, registrar)
    select printf('thr_%026d', i), 1, 'name-' || i || '.com', 'combosquatting', 'active', 'low', 0.75, 'feed', '[]',
      '[]', 1700000000000 - i, 0, 0, '{}', printf('%022d', i),
      printf('%0${registrarCharacters}d', i)
    from n`);
}

describe("GET /v1/threats/export", () => {
  test("contains the same threats as all pages of the list, for any filter and format", async () => {
    console.log(`seed ${seed} (TEST_SEED)`);
    const random = randomFrom(seed);
    for (let index = 0; index < 60; index += 1) {
      const protectedDomain = ["example-bank.com", "example-shop.com"][random(2)]!;
      const match = {
        protectedDomain,
        type: "homograph" as const,
        similarity: [0.8, 0.99][random(2)]!,
        reasons: [],
      };
      const [id] = api.sight({ domain: `name-${index}.com`, match });
      if (random(3) === 0) api.threats.changeStatus([id!], "resolved", { by: analyst });
    }
    const bound = api.key({ domains: ["example-shop.com"] });
    const filters = [
      "",
      "status=active",
      "severity=high&q=name-1",
      "domain=example-shop.com",
      "min_similarity=0.9",
      "q=x",
    ];
    for (const as of [key, bound]) {
      for (const filter of filters) {
        const { json } = await api.call("GET", `/v1/threats?per_page=100&${filter}`, { key: as });
        const listed = json.data as { id: string }[];
        for (const format of exportFormats) {
          const { status, text } = await exported(`format=${format}&${filter}`, as);
          expect([status, idsIn(format, text)]).toEqual([
            200,
            listed
              .map(({ id }) => id)
              .sort()
              .reverse(),
          ]);
        }
        const { text } = await exported(`format=jsonl&${filter}`, as);
        const lines = text
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line) as { id: string });
        expect(lines).toEqual(listed.toSorted((a, b) => (a.id < b.id ? 1 : -1)));
      }
    }
    expect(api.exports.running).toBe(0);
  });

  test("names the file and its type, carries the common headers and counts as one request", async () => {
    api.sight("examp1e-bank.com");
    const limited = api.key({ plan: "free" });
    const headersOf = async (format: string) => {
      const { headers } = await exported(`format=${format}`, limited);
      return ["content-type", "content-disposition", "cache-control", "x-ratelimit-remaining"].map((name) =>
        headers.get(name),
      );
    };
    expect(await headersOf("csv")).toEqual([
      "text/csv; charset=utf-8; header=present",
      'attachment; filename="threats-2026-01-15.csv"',
      "no-store",
      "59",
    ]);
    expect(await headersOf("jsonl")).toEqual([
      "application/x-ndjson; charset=utf-8",
      'attachment; filename="threats-2026-01-15.jsonl"',
      "no-store",
      "58",
    ]);
    expect(await headersOf("stix")).toEqual([
      "application/stix+json;version=2.1",
      'attachment; filename="threats-2026-01-15.json"',
      "no-store",
      "57",
    ]);
  });

  test("keeps the identifiers of STIX objects from export to export, and revokes a resolved threat", async () => {
    const [id] = api.sight("examp1e-bank.com");
    const objects = async () =>
      (JSON.parse((await exported("format=stix")).text) as { objects: Record<string, string | boolean>[] })
        .objects;
    const [identity, before] = await objects();
    api.clock.advance(1_000);
    api.threats.changeStatus([id!], "resolved", { by: analyst });
    const [sameIdentity, after] = await objects();
    expect(sameIdentity).toEqual(identity!);
    expect([after!["id"], after!["created"], after!["revoked"]]).toEqual([
      before!["id"]!,
      before!["created"]!,
      true,
    ]);
    expect(String(after!["modified"]) > String(before!["modified"])).toBe(true);
    // Revoking is final: active again, it is another object beside the revoked one.
    api.threats.changeStatus([id!], "active", { by: analyst });
    const [, revoked, again, ...more] = await objects();
    expect(more).toEqual([]);
    expect([revoked!["id"], revoked!["revoked"]]).toEqual([before!["id"]!, true]);
    expect(again!["id"]).not.toBe(before!["id"]!);
    expect(again).not.toHaveProperty("revoked");
  });

  test.each([
    ["", /^format is missing; allowed: csv, jsonl, stix\.$/],
    ["format=", /^format is empty; give it a value\. Allowed: csv, jsonl, stix\.$/],
    ["format=xml", /^format is "xml"; allowed: csv, jsonl, stix\.$/],
    ["format=csv&page=2", /^There is no parameter "page"; there are: format, domain, /],
    ["format=csv&since=now", /^since is "now"/],
  ])("rejects ?%s and states why", async (query, message) => {
    const { status, json } = await exported(query);
    expect([status, json.error.code]).toEqual([400, "bad_request"]);
    expect(json.error.message).toMatch(message);
  });

  test("requires the scope threats:read and a domain of the key, and is not created for HEAD", async () => {
    const unscoped = api.key({ scopes: ["threats:write"] });
    expect((await exported("format=csv", unscoped)).status).toBe(403);
    const bound = api.key({ domains: ["example-shop.com"] });
    expect((await exported("format=csv&domain=example-bank.com", bound)).status).toBe(403);
    expect((await api.call("HEAD", "/v1/threats/export?format=csv", { key })).status).toBe(200);
    expect(api.exports.running).toBe(0);
  });

  test("contains what matched at its start: not what was added since, without what was deleted, in its present state", async () => {
    insertMany(3_000);
    const file = await api.exports.open("csv", { status: "active" }, { publicUrl: "http://phishwatch.test" });
    expect(file.total).toBe(3_000);
    const start = (await file.next())!;
    api.sight("new.com");
    const [deleted, resolved] = ["00000000000000000000000005", "00000000000000000000000006"].map(
      (end) => `thr_${end}`,
    );
    api.threats.changeStatus([resolved!], "resolved", { by: analyst });
    api.database.sqlite.run("delete from threats where id = ?", [deleted!]);
    let text = start;
    for (let piece = await file.next(); piece !== undefined; piece = await file.next()) text += piece;
    const rows = parseCsv(text).slice(1);
    expect(rows.length).toBe(2_999);
    expect(rows.map(([, domain]) => domain)).not.toContain("new.com");
    expect(rows.find(([id]) => id === resolved)![4]).toBe("resolved");
    expect(api.exports.running).toBe(0);
  });

  test("gives up a further export while as many as possible are running, and when one ends, starts the next", async () => {
    const open = () => api.exports.open("csv", {}, { publicUrl: "" });
    const files = await Promise.all(Array.from({ length: concurrentExportsMax }, open));
    const { status, headers, json } = await exported("format=csv");
    expect([status, headers.get("retry-after")]).toEqual([429, "30"]);
    expect(json.error.message).toStartWith("8 exports are running");
    files[0]!.close();
    files[0]!.close();
    expect((await exported("format=csv")).status).toBe(200);
    for (const file of files) file.close();
    expect(api.exports.running).toBe(0);
  });

  test("leaves places for others: one key or account has two of them, whatever it does with them", async () => {
    const files = [
      await api.exports.open("csv", {}, { publicUrl: "", owner: "greedy" }),
      await api.exports.open("csv", {}, { publicUrl: "", owner: "greedy" }),
    ];
    await expect(api.exports.open("csv", {}, { publicUrl: "", owner: "greedy" })).rejects.toMatchObject({
      code: "rate_limit_exceeded",
      retryAfterSeconds: 30,
      message: "2 of your exports are running, which is the maximum; try again when one has finished.",
    });
    expect((await exported("format=csv")).status).toBe(200);
    files[0]!.close();
    files[0] = await api.exports.open("csv", {}, { publicUrl: "", owner: "greedy" });
    for (const file of files) file.close();
    expect(api.exports.running).toBe(0);
  });

  test("ends an export whose reader took nothing for half a minute when another one needs its place, and breaks its connection off", async () => {
    insertMany(6_000, 2_500);
    api.server.listen();
    const socket = connect(api.server.port!, "127.0.0.1");
    let text = "";
    socket.on("error", () => {});
    socket.on("data", (data) => void (text += data.toString()));
    socket.pause();
    socket.write(
      `GET /v1/threats/export?format=csv HTTP/1.1\r\nHost: phishwatch.test\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
    await until(() => api.exports.running === 1, "the export is running");
    const second = await api.exports.open(
      "csv",
      {},
      { publicUrl: "", owner: `key ${api.keys.list()[0]!.seq}` },
    );
    expect((await exported("format=csv&q=nothing")).status).toBe(429);
    // Once the buffers of the sockets are full, nothing more is taken.
    await until(async () => {
      api.clock.advance(30_000);
      await second.next();
      return (await exported("format=csv&q=nothing")).status === 200;
    }, "the place is free");
    expect(api.logged.join()).toContain("its reader took nothing for 30 seconds, and others wait");
    const closed = new Promise((resolve) => void socket.on("close", resolve));
    socket.resume();
    await closed;
    expect(text).toStartWith("HTTP/1.1 200 OK");
    // The mark of the end of a chunked body.
    expect(text).not.toEndWith("0\r\n\r\n");
    second.close();
  });

  test("ends an export whose reader takes longer than an hour, and frees its place", async () => {
    insertMany(3_000);
    const file = await api.exports.open("csv", {}, { publicUrl: "" });
    await file.next();
    api.clock.advance(3_600_001);
    await expect(file.next()).rejects.toThrow("longer than an hour");
    expect(api.exports.running).toBe(0);
    expect(api.logged.join()).toContain("export aborted");
  });

  test("breaks the connection off when an export fails midway, so that a part is not taken for the whole", async () => {
    insertMany(6_000, 2_500);
    api.server.listen();
    const response = await fetch(`http://127.0.0.1:${api.server.port}/v1/threats/export?format=csv`, {
      headers: { authorization: `Bearer ${key}`, host: "phishwatch.test" },
    });
    expect(response.status).toBe(200);
    api.clock.advance(3_600_001);
    await expect(response.text()).rejects.toThrow();
    await until(() => api.exports.running === 0, "the export is freed");
  });

  test("a reader that stops reading pauses the export, keeps no lock on the database, and frees everything when it is gone", async () => {
    insertMany(6_000, 2_500);
    api.server.listen();
    const socket = connect(api.server.port!, "127.0.0.1");
    socket.on("error", () => {});
    socket.pause();
    socket.write(
      `GET /v1/threats/export?format=csv HTTP/1.1\r\nHost: phishwatch.test\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
    await until(() => api.exports.running === 1, "the export is running");
    const checkpoint = () =>
      api.database.sqlite.query("PRAGMA wal_checkpoint(TRUNCATE)").get() as { busy: number; log: number };
    api.sight("examp1e-bank.com");
    expect(checkpoint()).toMatchObject({ busy: 0, log: 0 });
    for (let round = 0; round < 50; round += 1) {
      const { status } = await api.call("GET", "/v1/threats", { key });
      expect(status).toBe(200);
    }
    // 15 MB do not fit into the buffers of the sockets, so the file has not been created to its end.
    expect(api.exports.running).toBe(1);
    socket.destroy();
    await until(() => api.exports.running === 0, "the export is freed");
  });
});
