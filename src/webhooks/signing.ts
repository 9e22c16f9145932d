import { createHmac, timingSafeEqual } from "node:crypto";
import type { Instant } from "../lib/clock.ts";
import type { FillRandom } from "../lib/ids.ts";

const secretPrefix = "whsec_";
const secretBytes = 32;
const secretCharactersMin = 16;
const secretCharactersMax = 200;

/** A new endpoint secret: `whsec_` and the base64 of 32 random bytes. */
export function makeSecret(fillRandom: FillRandom): string {
  const bytes = new Uint8Array(secretBytes);
  fillRandom(bytes);
  return secretPrefix + Buffer.from(bytes).toString("base64");
}

/** What is wrong with a secret that somebody chose; undefined when it can be used. */
export function secretFault(secret: string): string | undefined {
  if (/^[!-~]+$/.test(secret) && secret.length >= secretCharactersMin && secret.length <= secretCharactersMax)
    return undefined;
  return `a secret is ${secretCharactersMin} to ${secretCharactersMax} visible ASCII characters`;
}

/**
 * The three headers that prove a delivery.
 *
 * `X-Service-Signature` is keyed with the secret as shown, so that a receiver needs no decoding. The
 * others follow the Standard Webhooks convention (https://www.standardwebhooks.com, version 1.0.0), whose
 * key is what the base64 after `whsec_` decodes to.
 * @param secrets the present one first; further ones are on their way out and sign as well
 * @param sentAt time of the attempt: a receiver refuses what is minutes old
 */
// Not Bun.CryptoHasher, though it is a fifth quicker: in Bun 1.4 a certificate that could not be read leaves an
// error behind in OpenSSL's queue, and the next keyed CryptoHasher throws that error as its own.
export function signatureHeaders({
  eventId,
  body,
  secrets,
  sentAt,
}: {
  eventId: string;
  body: Uint8Array;
  secrets: readonly string[];
  sentAt: Instant;
}): Record<string, string> {
  const timestamp = String(Math.floor(sentAt / 1_000));
  const signatures = secrets.map((secret) => {
    const mac = createHmac("sha256", standardKey(secret));
    return `v1,${mac.update(`${eventId}.${timestamp}.`).update(body).digest("base64")}`;
  });
  return {
    "X-Service-Signature": `sha256=${createHmac("sha256", secrets[0]!).update(body).digest("hex")}`,
    "webhook-id": eventId,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}

export type Verdict = "valid" | "invalid" | "missing";

/** Times further off than this are refused, as the libraries of Standard Webhooks do. */
const toleranceMs = 300_000;

/** What a receiver finds when it checks a delivery: `X-Service-Signature`, and the Standard Webhooks headers. */
export function verifySignatures({
  header,
  body,
  secret,
  now,
}: {
  /** Value of a header by its name in lower case. */
  header: (name: string) => string | null;
  body: Uint8Array;
  secret: string;
  now: Instant;
}): { service: Verdict; standard: Verdict } {
  const expected = signatureHeaders({
    eventId: header("webhook-id") ?? "",
    body,
    secrets: [secret],
    sentAt: Number(header("webhook-timestamp")) * 1_000,
  });
  const service = header("x-service-signature");
  const standard = header("webhook-signature");
  const fresh = Math.abs(Number(header("webhook-timestamp")) * 1_000 - now) <= toleranceMs;
  const signed = standard?.split(" ").some((one) => equal(one, expected["webhook-signature"]!)) ?? false;
  return {
    service:
      service === null ? "missing" : equal(service, expected["X-Service-Signature"]!) ? "valid" : "invalid",
    standard: standard === null ? "missing" : signed && fresh ? "valid" : "invalid",
  };
}

/** In a time that does not tell where two texts differ. */
function equal(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** A secret in another form than `whsec_` and base64 keys with its own bytes. */
function standardKey(secret: string): Uint8Array {
  const encoded = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : "";
  const isBase64 =
    /^(?:[A-Za-z0-9+/]{4})+$|^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$/.test(encoded);
  return isBase64 ? Buffer.from(encoded, "base64") : Buffer.from(secret);
}
