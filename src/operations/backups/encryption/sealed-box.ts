import { createCipheriv, createDecipheriv } from "node:crypto";
import type { FillRandom } from "../../../platform/lib/ids.ts";

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

/**
 * Encrypts bytes: one byte with the version of the format, the nonce, the ciphertext, the tag.
 * @param key 32 bytes
 * @param context is authenticated and not stored: opening needs the same
 */
export function seal({
  key,
  content,
  context,
  fillRandom,
}: {
  key: Uint8Array;
  content: Uint8Array;
  context: string;
  fillRandom: FillRandom;
}): Uint8Array<ArrayBuffer> {
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
export function unseal({
  key,
  sealed,
  context,
}: {
  key: Uint8Array;
  sealed: Uint8Array;
  context: string;
}): Uint8Array<ArrayBuffer> | undefined {
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
