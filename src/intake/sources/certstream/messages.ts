/** Messages of certstream-compatible servers, in all their forms: full, lite, and names only. */
import { visible } from "../../../platform/lib/safe-text.ts";
import type { CertificateSighting } from "../../../threats/threats/record.ts";
import { parseJson } from "../../../platform/lib/json.ts";

/** Names of one certificate. */
export interface CertificateNames {
  /** As they arrived, each once, without the `*.` of wildcards; each is at most `nameCharactersMax` long. */
  names: string[];
  /** Undefined in messages that contain names only. */
  certificate: CertificateSighting | undefined;
}

/** Maximum number of names of a certificate. Certificate authorities permit a few hundred, or some thousand. */
const namesMax = 10_000;
const nameCharactersMax = 300;
const textCharactersMax = 400;
const linkCharactersMax = 2_000;
/** A certificate cannot contain a later time, and the API has no form for one. */
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59);
/** Order in which distinguished names are usually written. */
const attributes = ["C", "ST", "L", "O", "OU", "CN"] as const;

/**
 * Reads a message.
 * @returns null for messages without names, such as heartbeats; a phrase that says what is wrong with the message.
 */
export function readMessage(bytes: Uint8Array): CertificateNames | null | { error: string } {
  const message = parseJson(bytes);
  if (message === undefined) return { error: "no JSON" };
  const type = field(message, "message_type");
  if (typeof type !== "string") return { error: "JSON without message_type" };
  const data = field(message, "data");
  if (type === "dns_entries") return withNames(data, undefined);
  if (type !== "certificate_update") return null;
  const leaf = field(data, "leaf_cert");
  return withNames(field(leaf, "all_domains"), certificateOf(data, leaf));
}

function withNames(
  given: unknown,
  certificate: CertificateSighting | undefined,
): CertificateNames | null | { error: string } {
  // Servers write null for a certificate without names.
  if (given === null) return null;
  if (!Array.isArray(given)) return { error: "a message without a list of names" };
  if (given.length > namesMax) return { error: `a certificate with more than ${namesMax} names` };
  // Most certificates with a wildcard contain the name below it as well.
  const names = new Set<string>();
  for (const name of given as unknown[])
    if (typeof name === "string" && name !== "" && name.length <= nameCharactersMax)
      names.add(name.startsWith("*.") ? name.slice(2) : name);
  return names.size === 0 ? null : { names: [...names], certificate };
}

/** No signature covers what the server sends, so it is marked as unverified. */
function certificateOf(data: unknown, leaf: unknown): CertificateSighting {
  const source = field(data, "source");
  const index = field(data, "cert_index");
  const notBefore = Number(field(leaf, "not_before") ?? Number.NaN) * 1_000;
  const serial = shortText(field(leaf, "serial_number")).toLowerCase();
  return {
    issuer: issuerOf(field(leaf, "issuer")),
    serial: /^[0-9a-f]+$/.test(serial) ? serial.padStart(serial.length + (serial.length % 2), "0") : "",
    notBefore: notBefore >= 0 && notBefore <= lastInstant ? Math.trunc(notBefore) : null,
    log: shortText(field(source, "name")) || shortText(field(source, "url")),
    entryUrl: linkOf(field(data, "cert_link")) ?? linkOf(field(source, "url")) ?? "",
    index: Number.isSafeInteger(index) && (index as number) >= 0 ? (index as number) : 0,
    isVerified: false,
  };
}

/** Returns the name as phishwatch writes it for certificate logs, so that a certificate from both counts once. */
function issuerOf(issuer: unknown): string {
  const parts = attributes.flatMap((attribute) => {
    const text = shortText(field(issuer, attribute));
    return text === "" ? [] : [`${attribute}=${text.replace(/[,\\]/g, "\\$&")}`];
  });
  return parts.join(", ").slice(0, textCharactersMax);
}

function linkOf(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > linkCharactersMax) return undefined;
  const url = URL.parse(/^[a-z]+:/i.test(value) ? value : `https://${value}`);
  return url?.protocol === "https:" || url?.protocol === "http:" ? url.href : undefined;
}

function shortText(value: unknown): string {
  return typeof value === "string" ? visible(value, textCharactersMax) : "";
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
