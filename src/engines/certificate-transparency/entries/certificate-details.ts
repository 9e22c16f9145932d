import type { Instant } from "../../../platform/lib/clock.ts";
import { createCertificateParts, readParts, type CertificateForm } from "./certificate-names.ts";
import { createDerElement, derTags, readElement, readTagged, type DerElement, stringText } from "./der.ts";

/** Fields that identify a certificate, and when it was issued. */
export interface CertificateDetails {
  /** Distinguished name, such as "C=US, O=Let's Encrypt, CN=R11"; "" if unknown. May contain any character. */
  issuer: string;
  /** Hexadecimal, lowercase, without leading zero bytes; "" if unknown. */
  serial: string;
  /** Null if unknown. */
  notBefore: Instant | null;
}

export const unknownCertificate: CertificateDetails = { issuer: "", serial: "", notBefore: null };

/** Maximum number of characters of an issuer. */
const issuerLengthMax = 500;
/** RFC 5280 permits 20 bytes. */
const serialBytesMax = 64;

/** Short names of the attributes of RFC 4514, section 3, by the content of the OID in hexadecimal. */
const attributeNames: Partial<Record<string, string>> = {
  "550403": "CN",
  "550406": "C",
  "550407": "L",
  "550408": "ST",
  "550409": "STREET",
  "55040a": "O",
  "55040b": "OU",
  "0992268993f22c640101": "UID",
  "0992268993f22c640119": "DC",
};

/** Reads the details of a certificate: `bytes` from `start` to before `end`. Never throws. */
export function readDetails(
  bytes: Uint8Array,
  certificate: { start: number; end: number; form: CertificateForm },
): CertificateDetails {
  const der = createDerElement(bytes);
  const parts = createCertificateParts();
  if (!readParts(der, parts, certificate)) return unknownCertificate;
  return {
    issuer: distinguishedName(der, parts.issuerStart, parts.issuerEnd),
    serial: serialNumber(bytes.subarray(parts.serialStart, parts.serialEnd)),
    notBefore: readElement(der, parts.validityStart, parts.validityEnd) ? time(der) : null,
  };
}

function serialNumber(bytes: Uint8Array): string {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  return Buffer.from(bytes.subarray(start, start + serialBytesMax)).toString("hex");
}

/** Returns the attributes in the order of the certificate; those before a malformed one. */
function distinguishedName(der: DerElement, start: number, limit: number): string {
  const attributes: string[] = [];
  for (let at = start, length = 0; at < limit && length < issuerLengthMax;) {
    if (!readTagged(der, derTags.set, at, limit)) break;
    const end = der.end;
    at = end;
    for (let next = der.start; next < end;) {
      const text = readTagged(der, derTags.sequence, next, end) ? attribute(der) : undefined;
      if (text === undefined) return attributes.join(", ").slice(0, issuerLengthMax);
      next = der.end;
      attributes.push(text);
      length += text.length;
    }
  }
  return attributes.join(", ").slice(0, issuerLengthMax);
}

/** Reads the attribute that is the last element of the cursor. Leaves the cursor at its end. */
function attribute(der: DerElement): string | undefined {
  const { start, end } = der;
  if (!readTagged(der, derTags.objectIdentifier, start, end)) return undefined;
  const id = Buffer.from(der.bytes.subarray(der.start, Math.min(der.end, der.start + 32))).toString("hex");
  if (!readElement(der, der.end, end)) return undefined;
  const value = stringText(der).slice(0, issuerLengthMax);
  der.end = end;
  return `${attributeNames[id] ?? `OID.${id}`}=${value.replace(/[,\\]/g, "\\$&")}`;
}

/** Reads a UTCTime or a GeneralizedTime (RFC 5280, section 4.1.2.5). */
function time({ bytes, tag, start, end }: DerElement): Instant | null {
  const text = Buffer.from(bytes.subarray(start, Math.min(end, start + 20))).toString("latin1");
  const form = tag === derTags.utcTime ? /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/ : undefined;
  const digits = (form ?? /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/).exec(text)?.slice(1).map(Number);
  if (digits === undefined) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = digits;
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60) return null;
  // RFC 5280: years of two digits are those from 1950 to 2049.
  const fullYear = form === undefined ? year : year + (year < 50 ? 2000 : 1900);
  return Date.UTC(fullYear, month - 1, day, hour, minute, second);
}
