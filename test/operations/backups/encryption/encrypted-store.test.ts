import { createDecipheriv, createHmac, hkdfSync, scryptSync } from "node:crypto";
import { createSecureContext } from "node:tls";
import { describe, expect, test } from "bun:test";
import {
  newEncryption,
  openContentStore,
} from "../../../../src/operations/backups/encryption/encrypted-store.ts";
import {
  changeSecret,
  type EncryptionParameters,
  seal,
  sealingBytes,
  unseal,
} from "../../../../src/operations/backups/encryption/repository-key.ts";
import type { BackupStore } from "../../../../src/operations/backups/stores/store.ts";
import { memoryStore } from "../../../support/memory-store.ts";

const id = "0123456789abcdef0123456789abcdef";
const secret = "correct horse battery";
// The cost of real repositories would make up most of the time of these tests.
const cost = { n: 2 ** 10, r: 8, p: 1 };
const fillRandom = (bytes: Uint8Array) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

async function newRepository() {
  const inner = memoryStore();
  const head = await newEncryption({ id, secret, fillRandom, cost });
  const store = await openContentStore({ store: inner, head, secret, fillRandom });
  return { inner, head, store };
}

async function failureOf(run: Promise<unknown>): Promise<{ code?: string; message: string }> {
  return run.then(
    () => ({ message: "no error" }),
    (error: { code?: string; message: string }) => error,
  );
}

describe("sealing", () => {
  test("is AES-256-GCM: the third test case of McGrew and Viega for 256 bits, and the one with associated data", () => {
    const hex = (text: string) => Uint8Array.fromHex(text.replaceAll(" ", ""));
    const key = hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308");
    const nonce = hex("cafebabefacedbaddecaf888");
    const content = hex(
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
    );
    const sealed = seal(content, { key, context: "", fillRandom: (bytes) => bytes.set(nonce) });
    expect(sealed.toHex()).toBe(
      "01" +
        "cafebabefacedbaddecaf888" +
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad" +
        "b094dac5d93471bdec1a502270e3cc6c",
    );
    expect(unseal(sealed, { key, context: "" })).toEqual(content);
  });

  test("opens nothing else than what was sealed, whichever bit is changed", () => {
    const key = new Uint8Array(32).fill(1);
    const sealed = seal(bytesOf("content"), { key, context: "a", fillRandom });
    expect(sealed.length).toBe("content".length + sealingBytes);
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = new Uint8Array(sealed);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(unseal(changed, { key, context: "a" })).toBeUndefined();
    }
    for (let length = 0; length < sealed.length; length++)
      expect(unseal(sealed.subarray(0, length), { key, context: "a" })).toBeUndefined();
    expect(unseal(sealed, { key, context: "b" })).toBeUndefined();
    expect(unseal(sealed, { key: new Uint8Array(32).fill(2), context: "a" })).toBeUndefined();
    expect(textOf(unseal(sealed, { key, context: "a" }))).toBe("content");
  });
});

describe("an encrypted store", () => {
  test("names contents also after a certificate was rejected", async () => {
    const { store } = await newRepository();
    const name = store.nameOf(bytesOf("content"));
    // The error stays pending in BoringSSL, where Bun.CryptoHasher with a key would throw it.
    expect(() => createSecureContext({ cert: "none", key: "none" })).toThrow();
    expect(store.nameOf(bytesOf("content"))).toBe(name);
  });

  test("returns what was put, and lists and deletes by the same keys", async () => {
    const { store, inner } = await newRepository();
    await store.put("chunks/ab/abc", bytesOf("content"));
    expect(textOf(await store.get("chunks/ab/abc"))).toBe("content");
    expect(await store.get("chunks/ab/none")).toBeUndefined();
    const keys: string[] = [];
    for await (const { key } of store.list("chunks/")) keys.push(key);
    expect(keys).toEqual(["chunks/ab/abc"]);
    await store.delete("chunks/ab/abc");
    expect(inner.objects.size).toBe(0);
  });

  test("contains neither the content nor its hash, and no two equal objects", async () => {
    const { store, inner } = await newRepository();
    const content = bytesOf("example-bank.com".repeat(20));
    await store.put("a", content);
    await store.put("b", content);
    const [a, b] = [inner.objects.get("a")!, inner.objects.get("b")!];
    expect(Buffer.from(a).includes("example-bank")).toBe(false);
    expect(Buffer.from(a).equals(Buffer.from(b))).toBe(false);
    expect(store.nameOf(content)).toMatch(/^[0-9a-f]{64}$/);
    expect(store.nameOf(content)).toBe(store.nameOf(content));
    expect(store.nameOf(content)).not.toBe(inner.nameOf(content));
    const other = await newRepository();
    expect(store.nameOf(content)).not.toBe(other.store.nameOf(content));
  });

  test("can be read with the documented primitives alone", async () => {
    const { store, inner, head } = await newRepository();
    await store.put("chunks/ab/abc", bytesOf("content"));
    const { derivation, key: wrapped } = head.encryption as EncryptionParameters;
    const open = (key: Uint8Array, sealed: Buffer, context: string) => {
      const decryption = createDecipheriv("aes-256-gcm", key, sealed.subarray(1, 13));
      decryption.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-16));
      return Buffer.concat([decryption.update(sealed.subarray(13, -16)), decryption.final()]);
    };
    const options = { N: derivation.n, r: derivation.r, p: derivation.p };
    const derived = scryptSync(secret, Buffer.from(derivation.salt, "hex"), 32, options);
    const key = open(derived, Buffer.from(wrapped, "hex"), `phishwatch backup key ${id}`);
    const keyFor = (info: string) =>
      Buffer.from(hkdfSync("sha256", key, "", `phishwatch backup ${info}`, 32));
    const sealed = Buffer.from(inner.objects.get("chunks/ab/abc")!);
    const context = `phishwatch backup object ${id} chunks/ab/abc`;
    expect(open(keyFor("content"), sealed, context).toString()).toBe("content");
    const name = createHmac("sha256", keyFor("names")).update("content").digest("hex");
    expect(store.nameOf(bytesOf("content"))).toBe(name);
  });

  test("names the object that was changed, truncated, emptied, swapped, or copied from another repository", async () => {
    const { store, inner } = await newRepository();
    await store.put("chunks/aa/one", bytesOf("one"));
    await store.put("chunks/bb/two", bytesOf("two"));
    const [one, two] = [inner.objects.get("chunks/aa/one")!, inner.objects.get("chunks/bb/two")!];
    const changed = new Uint8Array(one);
    changed[20]! ^= 1;
    const other = await newRepository();
    await other.store.put("chunks/aa/one", bytesOf("one"));
    const foreign = other.inner.objects.get("chunks/aa/one")!;
    for (const replaced of [changed, one.slice(0, -1), new Uint8Array(), two, foreign]) {
      inner.objects.set("chunks/aa/one", replaced);
      const failure = await failureOf(store.get("chunks/aa/one"));
      expect(failure).toMatchObject({ code: "damaged" });
      expect(failure.message).toContain("memory: chunks/aa/one is damaged");
    }
    inner.objects.set("chunks/aa/one", one);
    expect(textOf(await store.get("chunks/aa/one"))).toBe("one");
  });
});

describe("the secret of a repository", () => {
  const open = (options: { store?: BackupStore; id?: string; encryption: unknown; secret: string | null }) =>
    failureOf(
      openContentStore({
        store: options.store ?? memoryStore(),
        head: { id: options.id ?? id, encryption: options.encryption },
        secret: options.secret,
        fillRandom,
      }),
    );

  test("is required to open it; a wrong one and the head of another repository are reported without showing it", async () => {
    const { head } = await newRepository();
    const { encryption } = head;
    const wrong = await open({ encryption, secret: "wrong horse battery" });
    expect(wrong).toMatchObject({ code: "wrong_secret" });
    expect(wrong.message).not.toContain("horse");
    expect(await open({ encryption, secret: null })).toMatchObject({ code: "wrong_secret" });
    expect(await open({ encryption, secret, id: id.replace("0", "1") })).toMatchObject({
      code: "wrong_secret",
    });
    expect((await open({ encryption, secret })).message).toBe("no error");
  });

  test("prevents backups in the clear: a repository without encryption is rejected if a secret is set", async () => {
    expect(await open({ encryption: null, secret })).toMatchObject({ code: "wrong_secret" });
    const store = memoryStore();
    const head = { id, encryption: null };
    expect(await openContentStore({ store, head, secret: null, fillRandom })).toBe(store);
  });

  test("is not derived with parameters that would use too much memory or time, or that are not understood", async () => {
    const { head } = await newRepository();
    const valid = head.encryption as EncryptionParameters;
    const changes: unknown[] = [
      { ...valid, derivation: { ...valid.derivation, n: 2 ** 21 } },
      { ...valid, derivation: { ...valid.derivation, n: 2 ** 20, r: 16 } },
      { ...valid, derivation: { ...valid.derivation, n: 1_025 } },
      { ...valid, derivation: { ...valid.derivation, p: 1_000 } },
      { ...valid, derivation: { ...valid.derivation, algorithm: "none" } },
      { ...valid, algorithm: "none" },
      { ...valid, key: "00" },
      { ...valid, key: valid.key.slice(2) },
      {},
      "text",
      [],
      1,
    ];
    for (const encryption of changes)
      expect(await open({ encryption, secret })).toMatchObject({ code: "unexpected" });
  });

  test("can be changed: the new one opens earlier backups, and the previous one does not", async () => {
    const { store, inner, head } = await newRepository();
    await store.put("a", bytesOf("content"));
    const options = { name: "memory", id, parameters: head.encryption, fillRandom };
    const next = "another secret of 16";
    const encryption = await changeSecret({ ...options, previousSecret: secret, secret: next });
    expect(await open({ encryption, secret })).toMatchObject({ code: "wrong_secret" });
    const opened = await openContentStore({
      store: inner,
      head: { id, encryption },
      secret: next,
      fillRandom,
    });
    expect(textOf(await opened.get("a"))).toBe("content");
    expect(opened.nameOf(bytesOf("x"))).toBe(store.nameOf(bytesOf("x")));
    const failure = await failureOf(changeSecret({ ...options, previousSecret: next, secret }));
    expect(failure).toMatchObject({ code: "wrong_secret" });
  });
});
