import { createPrivateKey, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";

// Generates certificates (RFC 5280), because files would expire and openssl may be missing.

export interface Certificate {
  /** PEM. */
  cert: string;
  key: string;
}

interface Issuer extends Certificate {
  name: Uint8Array;
}

const dayMs = 86_400_000;

/** Creates an authority that signs certificates for tests. */
export function createAuthority(commonName = "Test authority"): Issuer {
  const name = distinguishedName(commonName);
  const made = certificate({ subject: name, extensions: [basicConstraints(true)] });
  return { ...made, name };
}

/** Creates a certificate for host names or IPv4 addresses. */
export function issue(
  issuer: Issuer,
  names: readonly string[],
  { notBefore = Date.now() - dayMs, notAfter = Date.now() + dayMs } = {},
): Certificate {
  const alternatives = names.map((name) =>
    /^[\d.]+$/.test(name)
      ? der(0x87, Uint8Array.from(name.split("."), Number))
      : der(0x82, Buffer.from(name)),
  );
  const subjectAlternativeName = sequence(oid("551d11"), der(0x04, sequence(...alternatives)));
  return certificate({
    issuer,
    subject: distinguishedName(names[0]!),
    notBefore,
    notAfter,
    extensions: [basicConstraints(false), subjectAlternativeName],
  });
}

function certificate({
  issuer,
  subject,
  notBefore = Date.now() - dayMs,
  notAfter = Date.now() + dayMs,
  extensions,
}: {
  issuer?: Issuer;
  subject: Uint8Array;
  notBefore?: number;
  notAfter?: number;
  extensions: Uint8Array[];
}): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"));
  const content = sequence(
    der(0xa0, der(0x02, Uint8Array.of(2))),
    der(0x02, Uint8Array.of(1, ...randomBytes(8))),
    ecdsaWithSha256,
    issuer?.name ?? subject,
    sequence(time(notBefore), time(notAfter)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions)),
  );
  const signer: KeyObject = issuer === undefined ? privateKey : createPrivateKey(issuer.key);
  const signature = der(0x03, Buffer.concat([Uint8Array.of(0), sign("sha256", content, signer)]));
  return {
    cert: pem("CERTIFICATE", sequence(content, ecdsaWithSha256, signature)),
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}

const basicConstraints = (authority: boolean) =>
  sequence(
    oid("551d13"),
    der(0x01, Uint8Array.of(0xff)),
    der(0x04, authority ? sequence(der(0x01, Uint8Array.of(0xff))) : sequence()),
  );

export const distinguishedName = (commonName: string) =>
  sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from(commonName)))));

export function time(instant: number): Uint8Array {
  const text = new Date(instant).toISOString().replace(/[-:T]|\.\d+/g, "");
  return der(0x18, Buffer.from(text));
}

export const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
export const sequence = (...parts: Uint8Array[]) => der(0x30, Buffer.concat(parts));

export function der(tag: number, content: Uint8Array): Uint8Array {
  const { length } = content;
  const size =
    length < 0x80
      ? [length]
      : length < 0x100
        ? [0x81, length]
        : length < 0x1_0000
          ? [0x82, length >> 8, length & 0xff]
          : [0x83, length >> 16, (length >> 8) & 0xff, length & 0xff];
  return Buffer.concat([Uint8Array.of(tag, ...size), content]);
}

function pem(label: string, bytes: Uint8Array): string {
  const lines = Buffer.from(bytes)
    .toString("base64")
    .match(/.{1,64}/g)!;
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
