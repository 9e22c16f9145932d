import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createAuditLog } from "../../src/access/audit/audit-log.ts";
import { isGeneratedKey, generateKey } from "../../src/access/keys/key-format.ts";
import { createApiKeys, type ApiKeys, type DeclaredKey } from "../../src/access/keys/keys.ts";
import { type Database, openDatabase } from "../../src/database/database.ts";
import { fillRandom } from "../support/appliance.ts";
import { analyst, openStores, type Stores } from "../support/stores.ts";

let stores: Stores;
let keys: ApiKeys;

beforeEach(() => {
  stores = openStores();
  keys = createApiKeys({ ...stores, fillRandom });
});
afterEach(() => stores.dispose());

/** The keys as another process sees them. */
const keysOf = (database: Database): ApiKeys =>
  createApiKeys({
    ...stores,
    database,
    auditLog: createAuditLog({ database, clock: stores.clock }),
    fillRandom,
  });

function everythingStored(): string {
  return JSON.stringify(stores.database.sqlite.query("select *, hex(hash) as h from api_keys").all());
}

const declared = (change: Partial<DeclaredKey> = {}): DeclaredKey => ({
  name: "ci",
  key: "declared-in-the-file-1",
  plan: "pro",
  scopes: ["threats:read"],
  domains: [],
  ...change,
});

describe("the form of a key", () => {
  test("is pw_, 32 random characters and the CRC-32 of these in base62", () => {
    const key = generateKey((bytes) => void bytes.fill(0));
    // The CRC-32 and its digits, worked out once more by the plain method.
    let crc = 0xffffffff;
    for (const character of "0".repeat(32)) {
      crc ^= character.charCodeAt(0);
      for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
    crc = (crc ^ 0xffffffff) >>> 0;
    const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let checksum = "";
    for (let rest = crc; checksum.length < 6; rest = Math.floor(rest / 62)) {
      checksum = digits.charAt(rest % 62) + checksum;
    }
    expect(key).toBe(`pw_${"0".repeat(32)}${checksum}`);
  });

  test("tells a key from noise and from a key with one character changed", () => {
    const key = generateKey(fillRandom);
    expect(key).toMatch(/^pw_[0-9A-Za-z]{38}$/);
    expect(isGeneratedKey(key)).toBe(true);
    for (let index = 3; index < key.length; index += 1) {
      const other = key[index] === "a" ? "b" : "a";
      expect(isGeneratedKey(key.slice(0, index) + other + key.slice(index + 1))).toBe(false);
    }
    expect(isGeneratedKey(`pw_${"x".repeat(38)}`)).toBe(false);
  });

  test("uses every character equally often", () => {
    const counts = new Map<string, number>();
    for (let round = 0; round < 2_000; round += 1) {
      for (const character of generateKey(fillRandom).slice(3, 35)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    expect(counts.size).toBe(62);
    const expected = (2_000 * 32) / 62;
    // Seven standard deviations: a false alarm once in a hundred thousand million runs.
    for (const count of counts.values())
      expect(Math.abs(count - expected)).toBeLessThan(7 * Math.sqrt(expected));
  });
});

describe("a key made at run time", () => {
  test("is shown once, works, and is stored as its SHA-256 only", () => {
    const { key, record } = keys.create({ name: "ci" }, { by: analyst });
    expect(record).toMatchObject({
      name: "ci",
      prefix: key.slice(0, 8),
      plan: "pro",
      scopes: ["threats:read", "threats:write"],
      domains: [],
      origin: "runtime",
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
    });
    expect(keys.authenticate(key)?.id).toBe(record.id);
    expect(everythingStored()).not.toContain(key.slice(0, 12));
    expect(JSON.stringify(keys.list())).not.toContain("hash");
  });

  test("is refused when it is unknown, malformed, or differs in one character or its case", () => {
    const { key } = keys.create({ name: "ci" }, { by: analyst });
    const flipped = key.slice(0, -1) + (key.endsWith("a") ? "b" : "a");
    for (const wrong of ["", "x", flipped, key.toUpperCase(), `${key} `, `${key}x`, "k".repeat(5_000)]) {
      expect(keys.authenticate(wrong)).toBeUndefined();
    }
  });

  test("stops working at the moment of its expiry", () => {
    const { key } = keys.create({ name: "ci", expiresAt: stores.clock.now() + 1_000 }, { by: analyst });
    stores.clock.advance(999);
    expect(keys.authenticate(key)).toBeDefined();
    stores.clock.advance(1);
    expect(keys.authenticate(key)).toBeUndefined();
  });

  test("stops working at once when it is revoked, here or by another process", () => {
    const [one, two] = [
      keys.create({ name: "one" }, { by: analyst }),
      keys.create({ name: "two" }, { by: analyst }),
    ];
    expect(keys.revoke(one.record.prefix, { by: analyst }).revokedAt).toBe(stores.clock.now());
    expect(keys.authenticate(one.key)).toBeUndefined();

    const elsewhere = openDatabase(stores.path);
    keysOf(elsewhere).revoke(two.record.id, { by: analyst });
    elsewhere.close();
    expect(keys.authenticate(two.key)).toBeUndefined();
    expect(keys.list().map(({ name }) => name)).toEqual(["one", "two"]);
  });

  test("that another process makes works at once", () => {
    const elsewhere = openDatabase(stores.path);
    const { key } = keysOf(elsewhere).create({ name: "there" }, { by: analyst });
    elsewhere.close();
    expect(keys.authenticate(key)?.name).toBe("there");
  });

  test("is bound to domains in A-label form", () => {
    const { key } = keys.create(
      { name: "ci", domains: ["Bücher.example", "b\u00fccher.example."] },
      { by: analyst },
    );
    expect(keys.authenticate(key)?.domains).toEqual(["xn--bcher-kva.example"]);
  });

  test("is not made from nonsense", () => {
    const wrong = [
      { name: "" },
      { name: "x".repeat(101) },
      { name: "a\u202eb" },
      { name: "ci", scopes: [] },
      { name: "ci", domains: ["not a domain"] },
      { name: "ci", expiresAt: stores.clock.now() },
    ];
    for (const wanted of wrong) {
      expect(() => keys.create(wanted, { by: analyst })).toThrow(
        expect.objectContaining({ code: "bad_request" }),
      );
    }
    expect(keys.list()).toEqual([]);
  });

  test("is revoked by a prefix only when no other key has it", () => {
    keys.create({ name: "one" }, { by: analyst });
    keys.create({ name: "two" }, { by: analyst });
    stores.database.sqlite.run("update api_keys set prefix = 'pw_same_'");
    expect(() => keys.revoke("pw_same_", { by: analyst })).toThrow(/Several API keys start with pw_same_/);
    expect(() => keys.revoke("pw_other", { by: analyst })).toThrow(
      expect.objectContaining({ code: "not_found" }),
    );
  });
});

describe("the time of last use", () => {
  test("is written by the flush, never by a request, and never goes back", () => {
    const { key } = keys.create({ name: "ci" }, { by: analyst });
    keys.authenticate(key);
    expect(keys.list()[0]?.lastUsedAt).toBeNull();
    const used = stores.clock.now();
    keys.flushLastUsed();
    expect(keys.list()[0]?.lastUsedAt).toBe(used);
    stores.clock.advance(-5_000);
    keys.authenticate(key);
    keys.flushLastUsed();
    expect(keys.list()[0]?.lastUsedAt).toBe(used);
  });
});

describe("keys that the configuration file declares", () => {
  test("work as they are written, and reconciling again changes nothing", () => {
    keys.reconcile([declared()]);
    const before = everythingStored();
    expect(keys.authenticate("declared-in-the-file-1")).toMatchObject({ name: "ci", origin: "file" });
    stores.clock.advance(1_000);
    keys.reconcile([declared()]);
    expect(everythingStored()).toBe(before);
  });

  test("are revoked, not deleted, when they leave the file, and work again when they come back", () => {
    keys.reconcile([declared()]);
    const { id } = keys.list()[0]!;
    keys.reconcile([]);
    expect(keys.authenticate("declared-in-the-file-1")).toBeUndefined();
    expect(keys.list()).toMatchObject([{ id, revokedAt: stores.clock.now() }]);
    keys.reconcile([declared()]);
    expect(keys.authenticate("declared-in-the-file-1")?.id).toBe(id);
  });

  test("take a new plan, scopes, domains, name or key without becoming another record", () => {
    keys.reconcile([declared()]);
    const { id } = keys.list()[0]!;
    const changed = declared({ plan: "free", scopes: ["candidates:write"], domains: ["example-bank.com"] });
    keys.reconcile([changed]);
    expect(keys.authenticate(changed.key)).toMatchObject({
      id,
      plan: "free",
      scopes: ["candidates:write"],
      domains: ["example-bank.com"],
    });
    keys.reconcile([declared({ name: "renamed" })]);
    expect(keys.authenticate(changed.key)).toMatchObject({ id, name: "renamed" });
    keys.reconcile([declared({ name: "renamed", key: "declared-in-the-file-2" })]);
    expect(keys.authenticate("declared-in-the-file-2")?.id).toBe(id);
    expect(keys.authenticate("declared-in-the-file-1")).toBeUndefined();
    expect(keys.list()).toHaveLength(1);
  });

  test("may swap their keys", () => {
    const [a, b] = ["declared-in-the-file-a", "declared-in-the-file-b"];
    keys.reconcile([declared({ name: "a", key: a }), declared({ name: "b", key: b })]);
    keys.reconcile([declared({ name: "a", key: b }), declared({ name: "b", key: a })]);
    expect(keys.authenticate(a)?.name).toBe("b");
    expect(keys.authenticate(b)?.name).toBe("a");
  });

  test("leave keys made at run time alone", () => {
    const { key } = keys.create({ name: "ci" }, { by: analyst });
    keys.reconcile([declared()]);
    keys.reconcile([]);
    expect(keys.authenticate(key)?.origin).toBe("runtime");
  });

  test("stop the start when two entries share a key, or one was made or revoked at run time", () => {
    const { key, record } = keys.create({ name: "laptop" }, { by: analyst });
    keys.revoke(record.id, { by: analyst });
    const wrong: [DeclaredKey[], RegExp][] = [
      [[declared(), declared({ name: "other" })], /"ci" and "other" have the same key/],
      [[declared({ key })], /created at run time as "laptop" \(key_\w+\) and revoked on 2026/],
    ];
    for (const [entries, message] of wrong) {
      expect(() => keys.reconcile(entries)).toThrow(message);
      expect(() => keys.reconcile(entries)).not.toThrow(key);
    }
    expect(keys.list()).toHaveLength(1);
    expect(keys.authenticate(key)).toBeUndefined();
  });

  test("are revoked in the file only", () => {
    keys.reconcile([declared()]);
    expect(() => keys.revoke(keys.list()[0]!.id, { by: analyst })).toThrow(
      /declared in the configuration file/,
    );
  });
});
