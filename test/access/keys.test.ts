import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createAuditLog } from "../../src/access/audit/audit-log.ts";
import { isGeneratedKey, generateKey } from "../../src/access/keys/key-format.ts";
import { createApiKeys, type ApiKeys, type DeclaredKey } from "../../src/access/keys/keys.ts";
import { type Database, openDatabase } from "../../src/platform/database/database.ts";
import { fillRandom } from "../support/appliance.ts";
import { analyst, openStores, type Stores } from "../support/stores.ts";

let stores: Stores;
let keys: ApiKeys;

beforeEach(() => {
  stores = openStores();
  keys = createApiKeys({ ...stores, fillRandom });
});
afterEach(() => stores.dispose());

/** Returns the keys service of another process. */
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

describe("generateKey", () => {
  test("a key is pw_, 32 random characters and their CRC-32 in base62", () => {
    const key = generateKey((bytes) => void bytes.fill(0));
    // Naive CRC-32 and base62.
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

  test("the checksum distinguishes a key from noise and from a key with one changed character", () => {
    const key = generateKey(fillRandom);
    expect(key).toMatch(/^pw_[0-9A-Za-z]{38}$/);
    expect(isGeneratedKey(key)).toBe(true);
    for (let index = 3; index < key.length; index += 1) {
      const other = key[index] === "a" ? "b" : "a";
      expect(isGeneratedKey(key.slice(0, index) + other + key.slice(index + 1))).toBe(false);
    }
    expect(isGeneratedKey(`pw_${"x".repeat(38)}`)).toBe(false);
  });

  test("every character is equally frequent in keys", () => {
    const counts = new Map<string, number>();
    for (let round = 0; round < 2_000; round += 1) {
      for (const character of generateKey(fillRandom).slice(3, 35)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    expect(counts.size).toBe(62);
    const expected = (2_000 * 32) / 62;
    // Seven standard deviations: this fails by chance once in about 10^11 runs.
    for (const count of counts.values())
      expect(Math.abs(count - expected)).toBeLessThan(7 * Math.sqrt(expected));
  });
});

describe("a key created at run time", () => {
  test("a new key is returned once, works, and is stored only as its SHA-256", () => {
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

  test("a key that is unknown, malformed, or differs in one character or in case is rejected", () => {
    const { key } = keys.create({ name: "ci" }, { by: analyst });
    const flipped = key.slice(0, -1) + (key.endsWith("a") ? "b" : "a");
    for (const wrong of ["", "x", flipped, key.toUpperCase(), `${key} `, `${key}x`, "k".repeat(5_000)]) {
      expect(keys.authenticate(wrong)).toBeUndefined();
    }
  });

  test("a key stops working at the moment of its expiry", () => {
    const { key } = keys.create({ name: "ci", expiresAt: stores.clock.now() + 1_000 }, { by: analyst });
    stores.clock.advance(999);
    expect(keys.authenticate(key)).toBeDefined();
    stores.clock.advance(1);
    expect(keys.authenticate(key)).toBeUndefined();
  });

  test("a key stops working at once when this or another process revokes it", () => {
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

  test("a key that another process creates works at once", () => {
    const elsewhere = openDatabase(stores.path);
    const { key } = keysOf(elsewhere).create({ name: "there" }, { by: analyst });
    elsewhere.close();
    expect(keys.authenticate(key)?.name).toBe("there");
  });

  test("the domains of a key are stored as A-labels", () => {
    stores.domains.add({ domain: "bücher.example" }, { by: analyst });
    const { key } = keys.create(
      { name: "ci", domains: ["Bücher.example", "b\u00fccher.example."] },
      { by: analyst },
    );
    expect(keys.authenticate(key)?.domains).toEqual(["xn--bcher-kva.example"]);
  });

  test("no key is created from invalid input", () => {
    const invalid = [
      { name: "" },
      { name: "x".repeat(101) },
      { name: "a\u202eb" },
      { name: "ci", scopes: [] },
      { name: "ci", domains: ["not a domain"] },
      { name: "ci", domains: ["example-bank.com", "example-bnak.com"] },
      { name: "ci", expiresAt: stores.clock.now() },
    ];
    for (const wanted of invalid) {
      expect(() => keys.create(wanted, { by: analyst })).toThrow(
        expect.objectContaining({ code: "bad_request" }),
      );
    }
    expect(keys.list()).toEqual([]);
  });

  test("a key is revoked by its prefix only if no other key has the same one", () => {
    keys.create({ name: "one" }, { by: analyst });
    keys.create({ name: "two" }, { by: analyst });
    stores.database.sqlite.run("update api_keys set prefix = 'pw_same_'");
    expect(() => keys.revoke("pw_same_", { by: analyst })).toThrow(/Several API keys start with pw_same_/);
    expect(() => keys.revoke("pw_other", { by: analyst })).toThrow(
      expect.objectContaining({ code: "not_found" }),
    );
  });
});

describe("flushLastUsed", () => {
  test("the time of last use is known at once, written by the flush only, and never decreases", async () => {
    const { key } = keys.create({ name: "ci" }, { by: analyst });
    const stored = () => keysOf(stores.database).list()[0]?.lastUsedAt;
    expect(keys.list()[0]?.lastUsedAt).toBeNull();
    keys.authenticate(key);
    const used = stores.clock.now();
    expect(keys.list()[0]?.lastUsedAt).toBe(used);
    expect(stored()).toBeNull();
    const flushed = keys.flushLastUsed();
    // A request while the time is being written is not lost.
    stores.clock.advance(1_000);
    keys.authenticate(key);
    await flushed;
    expect(keys.list()[0]?.lastUsedAt).toBe(used + 1_000);
    await keys.flushLastUsed();
    expect(stored()).toBe(used + 1_000);
    stores.clock.advance(-5_000);
    keys.authenticate(key);
    await keys.flushLastUsed();
    expect(keys.list()[0]?.lastUsedAt).toBe(used + 1_000);
  });
});

describe("declared keys", () => {
  test("declared keys work, and reconciling again changes nothing", () => {
    keys.reconcile([declared()]);
    const before = everythingStored();
    expect(keys.authenticate("declared-in-the-file-1")).toMatchObject({ name: "ci", origin: "file" });
    stores.clock.advance(1_000);
    keys.reconcile([declared()]);
    expect(everythingStored()).toBe(before);
  });

  test("a key that is no longer declared is revoked, not deleted, and works again once it is declared again", () => {
    keys.reconcile([declared()]);
    const { id } = keys.list()[0]!;
    keys.reconcile([]);
    expect(keys.authenticate("declared-in-the-file-1")).toBeUndefined();
    expect(keys.list()).toMatchObject([{ id, revokedAt: stores.clock.now() }]);
    keys.reconcile([declared()]);
    expect(keys.authenticate("declared-in-the-file-1")?.id).toBe(id);
  });

  test("a declared key keeps its record when its plan, scopes, domains, name or key changes", () => {
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

  test("two declared entries can swap their keys", () => {
    const [a, b] = ["declared-in-the-file-a", "declared-in-the-file-b"];
    keys.reconcile([declared({ name: "a", key: a }), declared({ name: "b", key: b })]);
    keys.reconcile([declared({ name: "a", key: b }), declared({ name: "b", key: a })]);
    expect(keys.authenticate(a)?.name).toBe("b");
    expect(keys.authenticate(b)?.name).toBe("a");
  });

  test("reconciling does not change keys that were created at run time", () => {
    const { key } = keys.create({ name: "ci" }, { by: analyst });
    keys.reconcile([declared()]);
    keys.reconcile([]);
    expect(keys.authenticate(key)?.origin).toBe("runtime");
  });

  test("startup fails when two entries have the same key, or a declared key was created at run time", () => {
    const { key, record } = keys.create({ name: "laptop" }, { by: analyst });
    keys.revoke(record.id, { by: analyst });
    const invalid: [DeclaredKey[], RegExp][] = [
      [[declared(), declared({ name: "other" })], /"ci" and "other" have the same key/],
      [[declared({ key })], /created at run time as "laptop" \(key_\w+\) and revoked on 2026/],
    ];
    for (const [entries, message] of invalid) {
      expect(() => keys.reconcile(entries)).toThrow(message);
      expect(() => keys.reconcile(entries)).not.toThrow(key);
    }
    expect(keys.list()).toHaveLength(1);
    expect(keys.authenticate(key)).toBeUndefined();
  });

  test("a declared key can only be revoked in the configuration file", () => {
    keys.reconcile([declared()]);
    expect(() => keys.revoke(keys.list()[0]!.id, { by: analyst })).toThrow(
      /declared in the configuration file/,
    );
  });
});
