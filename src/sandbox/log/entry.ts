import { dayMs, type Instant } from "../../platform/lib/clock.ts";

/** A certificate of the sandbox's log. */
export interface LoggedCertificate {
  /** DNS names: A-labels, also with a wildcard. */
  names: readonly string[];
  /** Common name of the issuer. */
  issuer: string;
  /** Hexadecimal. */
  serial: string;
  notBefore: Instant;
  /** When the log receives it. */
  loggedAt: Instant;
}

/** An entry as the log serves it (RFC 6962, sections 3.4 and 4.6). */
export interface LogEntry {
  /** MerkleTreeLeaf. */
  leaf: Uint8Array;
  /** PrecertChainEntry without a chain. */
  extraData: Uint8Array;
}

const validityMs = 90 * dayMs;
const hashBytes = 32;
const precertificate = 1;

const objects = {
  commonName: "550403",
  ecdsaWithSha256: "2a8648ce3d040302",
  ecPublicKey: "2a8648ce3d0201",
  p256: "2a8648ce3d030107",
  subjectAlternativeName: "551d11",
};

/** Encodes a precertificate entry. The certificate has no signature, because the leaf contains none. */
export function encodeEntry(certificate: LoggedCertificate): LogEntry {
  const body = tbsCertificate(certificate);
  const issuerKeyHash = new Bun.CryptoHasher("sha256").update(certificate.issuer).digest();
  const timestamp = number(certificate.loggedAt, 8);
  const leafHead = [number(0, 2), timestamp, number(precertificate, 2), issuerKeyHash];
  return {
    leaf: Buffer.concat([...leafHead, prefixed(body, 3), number(0, 2)]),
    extraData: Buffer.concat([prefixed(body, 3), number(0, 3)]),
  };
}

function tbsCertificate({ names, issuer, serial, notBefore }: LoggedCertificate): Uint8Array {
  const point = Buffer.concat([Uint8Array.of(0, 4), Buffer.alloc(2 * hashBytes, 1)]);
  return sequence(
    der(0xa0, der(0x02, Uint8Array.of(2))),
    der(0x02, Buffer.from(serial, "hex")),
    sequence(object("ecdsaWithSha256")),
    sequence(der(0x31, sequence(object("commonName"), der(0x0c, Buffer.from(issuer))))),
    sequence(time(notBefore), time(notBefore + validityMs)),
    sequence(),
    sequence(sequence(object("ecPublicKey"), object("p256")), der(0x03, point)),
    der(0xa3, sequence(sequence(object("subjectAlternativeName"), der(0x04, alternativeNames(names))))),
  );
}

function alternativeNames(names: readonly string[]): Uint8Array {
  return sequence(...names.map((name) => der(0x82, Buffer.from(name, "latin1"))));
}

/** GeneralizedTime, which covers every year. */
function time(instant: Instant): Uint8Array {
  return der(0x18, Buffer.from(new Date(instant).toISOString().replace(/[-:T]|\.\d+/g, "")));
}

function object(name: keyof typeof objects): Uint8Array {
  return der(0x06, Buffer.from(objects[name], "hex"));
}

function sequence(...parts: Uint8Array[]): Uint8Array {
  return der(0x30, Buffer.concat(parts));
}

function der(tag: number, content: Uint8Array): Uint8Array {
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Uint8Array.of(tag, ...size), content]);
}

function prefixed(content: Uint8Array, lengthBytes: number): Uint8Array {
  return Buffer.concat([number(content.length, lengthBytes), content]);
}

/** Big-endian; `bytes` is at most 8. */
function number(value: number, bytes: number): Uint8Array {
  const whole = Buffer.alloc(8);
  whole.writeBigUInt64BE(BigInt(value));
  return whole.subarray(8 - bytes);
}
