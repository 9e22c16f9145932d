import { createHmac, timingSafeEqual } from "node:crypto";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { FillRandom } from "../../../platform/lib/ids.ts";

const secretPrefix = "whsec_";
const secretBytes = 32;
const secretCharactersMin = 16;
const secretCharactersMax = 200;

/** Returns a new endpoint secret: `whsec_` and 32 random bytes in base64. */
export function makeSecret(fillRandom: FillRandom): string {
  const bytes = new Uint8Array(secretBytes);
  fillRandom(bytes);
  return secretPrefix + Buffer.from(bytes).toString("base64");
}

/** Returns what is wrong with a chosen secret, or undefined if it can be used. */
export function secretProblem(secret: string): string | undefined {
  if (/^[!-~]+$/.test(secret) && secret.length >= secretCharactersMin && secret.length <= secretCharactersMax)
    return undefined;
  return `a secret is ${secretCharactersMin} to ${secretCharactersMax} visible ASCII characters`;
}

/**
 * Returns the headers that sign a delivery.
 *
 * The key of `X-Service-Signature` is the secret as shown, so that receivers need no decoding. The other
 * headers follow the Standard Webhooks convention (https://www.standardwebhooks.com, version 1.0.0), whose key
 * is the decoded base64 after `whsec_`.
 * @param secrets the current secret first; during a rotation also the previous one
 * @param sentAt time of the attempt; receivers reject deliveries that are minutes old
 */
// Bun.CryptoHasher is 20 % faster, but in Bun 1.4 a certificate that cannot be parsed leaves an error in OpenSSL's
// queue, and the next keyed CryptoHasher throws that error.
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

export const verdicts = ["valid", "invalid", "missing"] as const;
export type Verdict = (typeof verdicts)[number];

/** Maximum age of a delivery, as in the Standard Webhooks libraries. */
const toleranceMs = 300_000;

/** Verifies `X-Service-Signature` and the Standard Webhooks headers of a delivery, as a receiver does. */
export function verifySignatures({
  header,
  body,
  secret,
  now,
}: {
  /** Returns the value of a header by its lowercase name. */
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

/** Compares in constant time. */
function equal(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Returns the decoded base64 after `whsec_`, or the bytes of a secret that has another form. */
function standardKey(secret: string): Uint8Array {
  const encoded = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : "";
  const isBase64 =
    /^(?:[A-Za-z0-9+/]{4})+$|^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$/.test(encoded);
  return isBase64 ? Buffer.from(encoded, "base64") : Buffer.from(secret);
}
