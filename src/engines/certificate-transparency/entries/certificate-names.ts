/**
 * Reads the names of a certificate (RFC 5280) or of the TBSCertificate of a precertificate: the dNSNames of all SAN
 * extensions and all common names of the subject. General parsers of certificates reach a thousandth of the speed, and
 * reject or shorten some of what public logs contain.
 */
import { contentIs, derTags, readElement, readTagged, type DerElement, stringBytes } from "./der.ts";
import type { NameBuffer } from "./name-buffer.ts";

/** `tbs`: the TBSCertificate alone, as the leaves of precertificates contain it. */
export type CertificateForm = "certificate" | "tbs";

/** Positions of the parts of a TBSCertificate. */
export type CertificateParts = ReturnType<typeof createCertificateParts>;

const versionTag = 0xa0;
const extensionsTag = 0xa3;
const dnsNameTag = 0x82;
/** 2.5.29.17 */
const alternativeNameId = [0x55, 0x1d, 0x11];
/** 2.5.4.3 */
const commonNameId = [0x55, 0x04, 0x03];

export function createCertificateParts() {
  return {
    serialStart: 0,
    serialEnd: 0,
    issuerStart: 0,
    issuerEnd: 0,
    validityStart: 0,
    validityEnd: 0,
    subjectStart: 0,
    subjectEnd: 0,

    /** Position after the subject's public key; the end of the TBSCertificate. */
    restStart: 0,
    restEnd: 0,
  };
}

/** Finds the parts of the certificate from `start` to before `end`. Returns false if it is malformed. */
export function readParts(
  der: DerElement,
  parts: CertificateParts,
  { start, end, form }: { start: number; end: number; form: CertificateForm },
): boolean {
  if (!readTagged(der, derTags.sequence, start, end)) return false;
  if (form === "certificate" && !readTagged(der, derTags.sequence, der.start, der.end)) return false;
  const limit = der.end;
  if (!readElement(der, der.start, limit)) return false;
  if (der.tag === versionTag && !readElement(der, der.end, limit)) return false;
  if (der.tag !== derTags.integer) return false;
  parts.serialStart = der.start;
  parts.serialEnd = der.end;
  // Signature algorithm, then the issuer.
  if (!readElement(der, der.end, limit) || !readElement(der, der.end, limit)) return false;
  parts.issuerStart = der.start;
  parts.issuerEnd = der.end;
  if (!readElement(der, der.end, limit)) return false;
  parts.validityStart = der.start;
  parts.validityEnd = der.end;
  if (!readTagged(der, derTags.sequence, der.end, limit)) return false;
  parts.subjectStart = der.start;
  parts.subjectEnd = der.end;
  if (!readElement(der, der.end, limit)) return false;
  parts.restStart = der.end;
  parts.restEnd = limit;
  return true;
}

/**
 * Adds the names of a certificate to `names`. Returns false if a part could not be read; the names of the other parts are
 * added nevertheless.
 */
export function readNames(
  der: DerElement,
  parts: CertificateParts,
  names: NameBuffer,
  certificate: { start: number; end: number; form: CertificateForm },
): boolean {
  if (!readParts(der, parts, certificate)) return false;
  const extensions = readExtensions(der, names, parts.restStart, parts.restEnd);
  const subject = readCommonNames(der, names, parts.subjectStart, parts.subjectEnd);
  return extensions && subject;
}

/** Reads what follows the public key: two obsolete identifiers and the extensions, all optional. */
function readExtensions(der: DerElement, names: NameBuffer, start: number, limit: number): boolean {
  for (let at = start; at < limit; at = der.end) {
    if (!readElement(der, at, limit)) return false;
    if (der.tag !== extensionsTag) continue;
    if (!readTagged(der, derTags.sequence, der.start, der.end)) return false;
    let intact = true;
    const end = der.end;
    for (let next = der.start; next < end;) {
      if (!readTagged(der, derTags.sequence, next, end)) return false;
      next = der.end;
      if (!readExtension(der, names, der.start, der.end)) intact = false;
    }
    return intact;
  }
  return true;
}

function readExtension(der: DerElement, names: NameBuffer, start: number, limit: number): boolean {
  if (!readTagged(der, derTags.objectIdentifier, start, limit)) return false;
  if (!contentIs(der, alternativeNameId)) return true;
  if (!readElement(der, der.end, limit)) return false;
  if (der.tag === derTags.boolean && !readElement(der, der.end, limit)) return false;
  if (der.tag !== derTags.octetString) return false;
  return readAlternativeNames(der, names, der.start, der.end);
}

function readAlternativeNames(der: DerElement, names: NameBuffer, start: number, limit: number): boolean {
  if (!readTagged(der, derTags.sequence, start, limit)) return false;
  const { end } = der;
  for (let at = der.start; at < end; at = der.end) {
    if (!readElement(der, at, end)) return false;
    if (der.tag === dnsNameTag) names.addAlternativeName(der.bytes, der.start, der.end);
  }
  return true;
}

/** Reads all common names of a name: there may be several, also in one relative distinguished name. */
function readCommonNames(der: DerElement, names: NameBuffer, start: number, limit: number): boolean {
  for (let at = start; at < limit;) {
    if (!readTagged(der, derTags.set, at, limit)) return false;
    const end = der.end;
    at = end;
    for (let next = der.start; next < end;) {
      if (!readTagged(der, derTags.sequence, next, end)) return false;
      next = der.end;
      if (!readTagged(der, derTags.objectIdentifier, der.start, next)) return false;
      if (!contentIs(der, commonNameId)) continue;
      if (!readElement(der, der.end, next)) return false;
      const text = stringBytes(der);
      if (text === undefined) names.addCommonName(der.bytes, der.start, der.end);
      else names.addCommonName(text, 0, text.length);
    }
  }
  return true;
}
