import { createPublicKey, type KeyObject } from "node:crypto";
import { LogError } from "../log.ts";
import { sha256 } from "./hashes.ts";

/** Signature algorithms of logs (RFC 6962, section 2.1.4) as TLS numbers them (RFC 5246, section 7.4.1.4.1). */
const algorithms = { rsa: 1, ecdsa: 3 };

/** Public key of a log. */
export type LogKey = ReturnType<typeof importLogKey>;

const rsaBitsMin = 2_048;
const rsaBitsMax = 8_192;
const keyLengthMax = 4_096;

/**
 * Imports a public key: base64 of a SubjectPublicKeyInfo. Throws `LogError` if it is not a key with which logs sign:
 * ECDSA on P-256, or RSA. `logId` is the SHA-256 hash of the key (RFC 6962, section 3.2), and `algorithm` the number of the
 * signature algorithm in signed structures.
 */
export function importLogKey(base64: string) {
  const der = base64.length > keyLengthMax ? undefined : strictBase64(base64);
  if (der === undefined) throw new LogError("signature", "the log's public key is not base64");
  const publicKey = publicKeyOf(der);
  const logId = sha256(der);
  const { namedCurve, modulusLength = 0 } = publicKey.asymmetricKeyDetails ?? {};
  if (publicKey.asymmetricKeyType === "ec" && namedCurve === "prime256v1") {
    return { publicKey, logId, algorithm: algorithms.ecdsa };
  }
  if (publicKey.asymmetricKeyType === "rsa" && modulusLength >= rsaBitsMin && modulusLength <= rsaBitsMax) {
    return { publicKey, logId, algorithm: algorithms.rsa };
  }
  throw new LogError(
    "signature",
    "the log's public key is neither ECDSA on P-256 nor RSA of 2,048 bits or more",
  );
}

/** Returns the ID of the log with this key, in base64. Throws `LogError` if the key cannot be used. */
export function logIdOf(key: string): string {
  return Buffer.from(importLogKey(key).logId).toString("base64");
}

/** Returns the decoded bytes, or undefined unless the text is base64 with padding and nothing else. */
export function strictBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}

function publicKeyOf(der: Uint8Array): KeyObject {
  try {
    return createPublicKey({ key: Buffer.from(der), format: "der", type: "spki" });
  } catch {
    throw new LogError("signature", "the log's public key is not a SubjectPublicKeyInfo");
  }
}
