import { createCipheriv, createDecipheriv, hkdfSync, scrypt } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import type { FillRandom } from "../../../platform/lib/ids.ts";
import { StoreError } from "../stores/store.ts";

const keyBytes = 32;
const saltBytes = 16;
/**
 * Cost of scrypt (RFC 7914) for new repositories: 64 MiB and about 0.2 s. Backups run rarely, and the secret has at
 * least 16 characters.
 */
const scryptDefault = { n: 2 ** 16, r: 8, p: 1 } as const;
/** Memory that the parameters of a repository, which others may have written, can make this process use. */
const scryptBytesMax = 256 * 1024 * 1024;

const hexOf = (bytes: number) => Type.String({ pattern: `^[0-9a-f]{${bytes * 2}}$` });
const parametersSchema = Type.Object({
  algorithm: Type.Literal("aes-256-gcm"),
  derivation: Type.Object({
    algorithm: Type.Literal("scrypt"),
    n: Type.Integer({ minimum: 2 ** 10, maximum: 2 ** 20 }),
    r: Type.Integer({ minimum: 1, maximum: 16 }),
    p: Type.Integer({ minimum: 1, maximum: 4 }),
    salt: hexOf(saltBytes),
  }),
  /** The random key of the repository, sealed with the key that scrypt derives from the secret. */
  key: Type.String({ pattern: "^[0-9a-f]{122}$" }),
});
/** Parameters of the encryption, as the head of the repository has them. They reveal nothing without the secret. */
export type EncryptionParameters = Static<typeof parametersSchema>;

/** A key that a secret opens. */
interface LockedKey {
  /** Name of the store, for messages. */
  name: string;
  /** Identifies the repository. */
  id: string;
  parameters: unknown;
  secret: string;
}

/** How a secret protects a key. */
interface KeyLock {
  /** Identifies the repository; the key opens only with the same. */
  id: string;
  secret: string;
  fillRandom: FillRandom;
  /** Only tests choose a lower one. */
  cost?: { n: number; r: number; p: number };
}

/** Keys of one repository, 32 bytes each. */
export interface RepositoryKeys {
  content: Uint8Array;
  names: Uint8Array;
}

/**
 * Creates the random key of a new repository. The secret protects this key and can be changed without encrypting the
 * backups again.
 */
export async function createRepositoryKey(
  lock: KeyLock,
): Promise<{ parameters: EncryptionParameters; keys: RepositoryKeys }> {
  const key = new Uint8Array(keyBytes);
  lock.fillRandom(key);
  return { parameters: await wrap(key, lock), keys: keysOf(key) };
}

/**
 * Returns the keys of a repository.
 * @throws StoreError `wrong_secret`, or `unexpected` for parameters that this version does not understand
 */
export async function openRepositoryKey(locked: LockedKey): Promise<RepositoryKeys> {
  return keysOf(await unwrap(locked));
}

/**
 * Returns parameters with which `secret` opens the repository instead of `previousSecret`. The backups stay as they
 * are. A copy of the former parameters still opens them with the previous secret.
 * @throws StoreError like `openRepositoryKey`
 */
export async function changeSecret({
  previousSecret,
  secret,
  fillRandom,
  ...locked
}: Omit<LockedKey, "secret"> & {
  previousSecret: string;
  secret: string;
  fillRandom: FillRandom;
}): Promise<EncryptionParameters> {
  const { name, id, parameters } = locked;
  const key = await unwrap({ ...locked, secret: previousSecret });
  const { n, r, p } = requireParameters(name, parameters).derivation;
  return wrap(key, { id, secret, fillRandom, cost: { n: Math.max(n, scryptDefault.n), r, p } });
}

async function wrap(
  key: Uint8Array,
  { id, secret, fillRandom, cost = scryptDefault }: KeyLock,
): Promise<EncryptionParameters> {
  const salt = new Uint8Array(saltBytes);
  fillRandom(salt);
  const wrapping = await derive(secret, salt, cost);
  const sealed = seal(key, { key: wrapping, context: wrapContext(id), fillRandom });
  const derivation = { algorithm: "scrypt", ...cost, salt: salt.toHex() } as const;
  return { algorithm: "aes-256-gcm", derivation, key: sealed.toHex() };
}

async function unwrap({ name, id, parameters, secret }: LockedKey): Promise<Uint8Array> {
  const { derivation, key } = requireParameters(name, parameters);
  const wrapping = await derive(secret, Uint8Array.fromHex(derivation.salt), derivation);
  const opened = unseal(Uint8Array.fromHex(key), { key: wrapping, context: wrapContext(id) });
  if (opened === undefined)
    throw new StoreError(
      "wrong_secret",
      `${name}: backup.encrypt_with is not the secret that these backups were encrypted with`,
    );
  return opened;
}

let check: ReturnType<typeof TypeCompiler.Compile<typeof parametersSchema>> | undefined;

function requireParameters(name: string, parameters: unknown): EncryptionParameters {
  check ??= TypeCompiler.Compile(parametersSchema);
  const isValid = check.Check(parameters);
  const { n = 0, r = 0 } = isValid ? parameters.derivation : {};
  // scrypt needs a power of two.
  if (isValid && (n & (n - 1)) === 0 && 128 * n * r <= scryptBytesMax) return parameters;
  throw new StoreError(
    "unexpected",
    `${name}: the parameters of the encryption are invalid, or a newer version of phishwatch wrote them`,
  );
}

function derive(
  secret: string,
  salt: Uint8Array,
  { n, r, p }: { n: number; r: number; p: number },
): Promise<Uint8Array> {
  // Twice the memory of the parameters: the limit includes the working memory of the implementation.
  const options = { N: n, r, p, maxmem: 2 * scryptBytesMax };
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, keyBytes, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

function keysOf(key: Uint8Array): RepositoryKeys {
  const derived = (info: string) => new Uint8Array(hkdfSync("sha256", key, "", info, keyBytes));
  return { content: derived("phishwatch backup content"), names: derived("phishwatch backup names") };
}

function wrapContext(id: string): string {
  return `phishwatch backup key ${id}`;
}

/**
 * AES-256-GCM (NIST SP 800-38D) with a random nonce. A key must seal fewer than 2³² messages (§8.3 there): the chunks
 * of 4 TiB at 1 KiB each.
 */
const formatByte = 1;
const nonceBytes = 12;
const tagBytes = 16;
const cipher = "aes-256-gcm";

/** Bytes that sealing adds. */
export const sealingBytes = 1 + nonceBytes + tagBytes;

interface Sealing {
  /** 32 bytes. */
  key: Uint8Array;
  /** Authenticated and not stored: opening needs the same. */
  context: string;
}

/** Encrypts bytes: one byte with the version of the format, the nonce, the ciphertext, the tag. */
export function seal(
  content: Uint8Array,
  { key, context, fillRandom }: Sealing & { fillRandom: FillRandom },
): Uint8Array<ArrayBuffer> {
  const sealed = new Uint8Array(content.byteLength + sealingBytes);
  sealed[0] = formatByte;
  const nonce = sealed.subarray(1, 1 + nonceBytes);
  fillRandom(nonce);
  const encryption = createCipheriv(cipher, key, nonce);
  encryption.setAAD(Buffer.from(context));
  sealed.set(encryption.update(content), 1 + nonceBytes);
  // GCM is a stream cipher: `final` returns no more bytes.
  encryption.final();
  sealed.set(encryption.getAuthTag(), sealed.length - tagBytes);
  return sealed;
}

/** Returns the content of `seal`, or undefined if the bytes, the key or the context are others. */
export function unseal(sealed: Uint8Array, { key, context }: Sealing): Uint8Array<ArrayBuffer> | undefined {
  if (sealed.byteLength < sealingBytes || sealed[0] !== formatByte) return undefined;
  const end = sealed.length - tagBytes;
  const decryption = createDecipheriv(cipher, key, sealed.subarray(1, 1 + nonceBytes));
  decryption.setAAD(Buffer.from(context));
  decryption.setAuthTag(sealed.subarray(end));
  const content = new Uint8Array(end - 1 - nonceBytes);
  content.set(decryption.update(sealed.subarray(1 + nonceBytes, end)));
  try {
    decryption.final();
  } catch {
    return undefined;
  }
  return content;
}
