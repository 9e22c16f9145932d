import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { createListStore } from "../../../../src/response/outputs/block-lists/list-store.ts";
import type { List, ListFilter } from "../../../../src/response/outputs/block-lists/list.ts";
import { openDatabase } from "../../../../src/platform/database/database.ts";
import { openApi, type Api } from "../../../support/api.ts";
import { analyst } from "../../../support/stores.ts";

const everything: Partial<ListFilter> = { minSeverity: "low", verifiedOnly: false };
let api: Api;
let threatIds: string[];

beforeAll(() => {
  api = openApi();
  threatIds = api.sight(
    "examp1e-bank.com",
    { domain: "examp1e-bank.com", match: match("example-shop.com") },
    "login.examp1e-bank.net",
    "example-bank.pages.dev",
    "pages.dev",
  );
});
afterAll(() => api.dispose());

function match(protectedDomain: string) {
  return { protectedDomain, type: "typosquatting" as const, similarity: 0.9, reasons: [] };
}

function addList(name: string, filter: Partial<ListFilter> = everything): List {
  return api.lists.add({ name, ...filter }, { by: analyst });
}

const path = ({ token, name }: List, format = "txt") => `/lists/${token}/${name}.${format}`;
const fetchList = (list: List, format = "txt", headers: Record<string, string> = {}) =>
  api.call("GET", path(list, format), { headers });
const namesOn = async (list: List) => (await fetchList(list)).text.split("\n").slice(0, -1);
const serialOn = async (list: List) =>
  Number(/ (\d+) 60 60 604800/.exec((await fetchList(list, "rpz")).text)![1]);

function decide(id: string, status: "active" | "false_positive" | "resolved"): void {
  api.threats.changeStatus([id], status, { by: analyst });
}

describe("the content of a list", () => {
  test("names are sorted, each once, without public suffixes", async () => {
    expect(await namesOn(addList("sorted"))).toEqual([
      "examp1e-bank.com",
      "example-bank.pages.dev",
      "login.examp1e-bank.net",
    ]);
  });

  test("a name that is marked as a false positive is gone with the next request, and returns with the next decision", async () => {
    const list = addList("decisions");
    expect(await namesOn(list)).toContain("login.examp1e-bank.net");
    decide(threatIds[2]!, "false_positive");
    expect(await namesOn(list)).not.toContain("login.examp1e-bank.net");
    decide(threatIds[2]!, "active");
    expect(await namesOn(list)).toContain("login.examp1e-bank.net");
  });

  test("a name that threatens two domains stays until both threats are decided", async () => {
    const list = addList("two-domains");
    decide(threatIds[0]!, "resolved");
    expect(await namesOn(list)).toContain("examp1e-bank.com");
    decide(threatIds[1]!, "resolved");
    expect(await namesOn(list)).not.toContain("examp1e-bank.com");
    decide(threatIds[0]!, "active");
    decide(threatIds[1]!, "active");
  });

  test("statuses, severity, verification, protected domains and age select the threats", async () => {
    decide(threatIds[2]!, "resolved");
    expect(await namesOn(addList("resolved", { ...everything, statuses: ["resolved"] }))).toEqual([
      "login.examp1e-bank.net",
    ]);
    decide(threatIds[2]!, "active");
    expect(await namesOn(addList("defaults", {}))).toEqual([]);
    expect(await namesOn(addList("shop", { ...everything, protectedDomains: ["example-shop.com"] }))).toEqual(
      ["examp1e-bank.com"],
    );
    const aged = addList("aged", { ...everything, maxAgeMs: 3_600_000 });
    expect(await namesOn(aged)).toHaveLength(3);
    api.clock.advance(3_600_000 - 3_000);
    expect(await namesOn(aged)).toEqual(["example-bank.pages.dev", "login.examp1e-bank.net"]);
    api.clock.advance(10_000);
    expect(await namesOn(aged)).toEqual([]);
    api.clock.setBy(-3_600_000);
    expect(await namesOn(aged)).toHaveLength(3);
  });

  test("a name that becomes allowed is gone with the next request, and a listed name above it leaves formats without exceptions", async () => {
    const list = addList("allowed");
    api.domains.reconcile([
      { domain: "example-bank.com", allow: ["example-bank.pages.dev", "shop.examp1e-bank.com"] },
      { domain: "example-shop.com" },
    ]);
    expect(await namesOn(list)).toEqual(["login.examp1e-bank.net"]);
    expect((await fetchList(list, "adblock")).text).toContain(
      "||examp1e-bank.com^\n||login.examp1e-bank.net^\n@@||shop.examp1e-bank.com^\n",
    );
    api.domains.reconcile([{ domain: "example-bank.com" }, { domain: "example-shop.com" }]);
    expect(await namesOn(list)).toHaveLength(3);
  });

  test("a change by another process is in the next response", async () => {
    const list = addList("other-process");
    expect(await namesOn(list)).toHaveLength(3);
    const other = openDatabase(api.path);
    other.sqlite.run("update threats set status = 'resolved' where id = ?", [threatIds[3]!]);
    expect(await namesOn(list)).toEqual(["examp1e-bank.com", "login.examp1e-bank.net"]);
    other.sqlite.run("update threats set status = 'active' where id = ?", [threatIds[3]!]);
    other.close();
    expect(await namesOn(list)).toHaveLength(3);
  });

  test("requests at the same time during a change receive the same content", async () => {
    const list = addList("together");
    const responses = await Promise.all(Array.from({ length: 20 }, () => fetchList(list, "rpz")));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
  });

  test("a random sequence of changes leaves the same names as reading everything again", async () => {
    const followed = addList("followed");
    const names = Array.from({ length: 40 }, (_, index) => `examp1e-bank-${(index * 7) % 40}.org`);
    const ids = api.sight(...names);
    const statuses = ["active", "resolved", "false_positive"] as const;
    let seed = 42;
    for (let round = 0; round < 30; round += 1) {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      decide(ids[seed % ids.length]!, statuses[Math.floor(seed / 64) % 3]!);
      await namesOn(followed);
    }
    expect(await namesOn(followed)).toEqual(await namesOn(addList("fresh")));
    for (const id of ids) decide(id, "resolved");
  });

  test("a host that only a beacon reported is listed after a lookup saw the copy, because anyone can forge a report", async () => {
    const copy = {
      protectedDomain: "example-bank.com",
      type: "cloned_site" as const,
      similarity: 0,
      reasons: [],
    };
    const hosts = ["api.partner.example", "docs.google.com"];
    const ids = api.sight(...hosts.map((domain) => ({ domain, match: copy })));
    const [verified, all] = [addList("verified-copies", {}), addList("reported-copies")];
    const listed = async (list: List) => (await namesOn(list)).filter((name) => hosts.includes(name));
    const see = (page: object) =>
      ids.forEach((id) =>
        api.threats.updateFacts(
          id,
          {
            ipAddress: null,
            registrar: null,
            whois: {},
            evidence: { exists: "yes", page: { ...blank, ...page } },
          },
          [],
        ),
      );
    const blank = {
      asksForPassword: false,
      asksForCard: false,
      namesBrand: false,
      redirectsToProtected: false,
    };
    expect(await listed(verified)).toEqual([]);
    expect(await listed(all)).toEqual(["api.partner.example"]);
    see({ asksForPassword: true });
    expect(await listed(verified)).toEqual([]);
    see({ asksForPassword: true, namesBrand: true });
    expect(await listed(verified)).toEqual(["api.partner.example"]);
    see({});
    expect(await listed(verified)).toEqual([]);
    const inspected = ["quiet-meadow.example", "sites.google.com", "form.jotform.com", "ipfs.io"];
    const page = { score: 0.97, signals: [] };
    api.sight(...inspected.map((domain) => ({ domain, match: { ...copy, similarity: 0.97 }, page })));
    expect((await namesOn(verified)).filter((name) => inspected.includes(name))).toEqual([inspected[0]!]);
    see({ visualSimilarity: 1 });
    expect(await listed(verified)).toEqual(["api.partner.example"]);
    ids.forEach((id) => decide(id, "false_positive"));
  });
});

describe("the serial and the tags", () => {
  test("the serial increases with each change only, also after a restart with the clock set back", async () => {
    const list = addList("serial");
    const first = await serialOn(list);
    expect(await serialOn(list)).toBe(first);
    decide(threatIds[2]!, "resolved");
    const second = await serialOn(list);
    expect(second).toBeGreaterThan(first);
    api.clock.setBy(-86_400_000);
    const store = createListStore(api);
    const stored = store.byName("serial")!;
    expect(store.publish(stored.seq, { digest: stored.digest, names: 2, after: 0 })).toBe(
      stored.contentChangedAt,
    );
    expect(store.publish(stored.seq, { digest: "another", names: 2, after: 0 })).toBe(
      stored.contentChangedAt + 1_000,
    );
    decide(threatIds[2]!, "active");
    expect(await serialOn(list)).toBeGreaterThan(second + 1);
    api.clock.setBy(86_400_000);
  });

  test("the serial increases with each change while its time cannot be stored, and afterward", async () => {
    const list = addList("unstored");
    const serials = [await serialOn(list)];
    const { write } = api.database;
    api.database.write = () => Promise.reject(new Error("database or disk is full"));
    for (const status of ["resolved", "active", "resolved"] as const) {
      decide(threatIds[2]!, status);
      serials.push(await serialOn(list));
    }
    api.database.write = write;
    decide(threatIds[2]!, "active");
    serials.push(await serialOn(list));
    expect(serials).toEqual([...new Set(serials)].sort((a, b) => a - b));
  });

  test("a request with the current tag or time receives 304, also if a proxy has changed the form of the tag", async () => {
    const list = addList("tags");
    const { headers, text } = await fetchList(list);
    const tag = headers.get("etag")!;
    for (const sent of [tag, `W/${tag}`, `"other", ${tag}`, tag.replace(/"$/, '-gzip"'), "*"]) {
      const unchanged = await fetchList(list, "txt", { "if-none-match": sent });
      expect([unchanged.status, unchanged.text, unchanged.headers.get("etag")]).toEqual([304, "", tag]);
    }
    const since = headers.get("last-modified")!;
    expect((await fetchList(list, "txt", { "if-modified-since": since })).status).toBe(304);
    decide(threatIds[2]!, "resolved");
    const changed = await fetchList(list, "txt", { "if-none-match": tag });
    expect(changed.status).toBe(200);
    expect(changed.text).not.toBe(text);
    expect((await fetchList(list, "txt", { "if-modified-since": since })).status).toBe(200);
    expect((await fetchList(list, "hosts", { "if-none-match": changed.headers.get("etag")! })).status).toBe(
      200,
    );
    decide(threatIds[2]!, "active");
  });

  test("a list is compressed for those who accept it", async () => {
    const list = addList("compressed", { ...everything, statuses: ["resolved", "active"] });
    const plain = await fetchList(list, "rpz", { "accept-encoding": "gzip;q=0, br" });
    const response = await api.server.handle(
      new Request(`http://localhost${path(list, "rpz")}`, { headers: { "accept-encoding": "br, gzip" } }),
    );
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(response.headers.get("content-encoding")).toBe("gzip");
    expect(response.headers.get("vary")).toBe("accept-encoding");
    expect(response.headers.get("etag")).toBe(plain.headers.get("etag")!.replace(/"$/, '-gzip"'));
    expect(gunzipSync(await response.bytes()).toString()).toBe(plain.text);
  });
});
