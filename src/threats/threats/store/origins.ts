import { and, count, desc, sql } from "drizzle-orm";
import type { Database } from "../../../platform/database/database.ts";
import {
  columnsOf,
  hasValue,
  statement,
  value,
  valuesExcept,
  valuesOf,
} from "../../../platform/database/statement.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { ThreatSource } from "../../../platform/vocabulary/threats.ts";
import { threatCertificates, threats, threatUrls } from "./tables.ts";

/** A certificate in which a certificate log showed a name. */
export interface CertificateSighting {
  /** Distinguished name as text; "" if unknown. Hostile input. */
  issuer: string;
  /** Hexadecimal, lowercase; "" if unknown. */
  serial: string;
  /** Null if unknown. */
  notBefore: Instant | null;
  /** Description of the log. */
  log: string;
  /** Where the log serves the entry. */
  entryUrl: string;
  /** Index of the entry in the log. */
  index: number;
  /** False for names that no signature of the log covers. */
  isVerified: boolean;
}

/** Certificates and addresses in which sources saw the name of a threat. */
export interface Origins {
  /** Newest first. */
  certificates: (CertificateSighting & { seenAt: Instant })[];
  /** Newest first. */
  urls: { url: string; source: ThreatSource; seenAt: Instant }[];
}

/** The part of a sighting that is kept as an origin. */
export interface SightingOrigin {
  source: ThreatSource;
  certificate?: CertificateSighting | undefined;
  url?: string | undefined;
}

export type OriginStore = ReturnType<typeof createOriginStore>;

/** Anyone can request certificates and invent addresses, so only the latest are kept. */
const certificatesMax = 100;
const urlsMax = 50;
const urlCharactersMax = 2_000;
const issuerCharactersMax = 400;
const serialCharactersMax = 80;

export function createOriginStore(database: Database) {
  const statements = createStatements(database);
  return {
    list(threatId: string): Origins {
      const threat = statements.findSeq.get({ id: threatId });
      if (threat === undefined) return { certificates: [], urls: [] };
      const { seq: threatSeq } = threat;
      return {
        certificates: statements.listCertificates.all({ threatSeq }),
        urls: statements.listUrls.all({ threatSeq }),
      };
    },
    /** Returns where to open the page of a threat: its newest URL (HTTP or HTTPS), else its name; undefined: no such threat. */
    addressToOpen(threatId: string): string | undefined {
      const threat = statements.findSeq.get({ id: threatId });
      if (threat === undefined) return undefined;
      const { domain, seq: threatSeq } = threat;
      const openable = statements.listUrls.all({ threatSeq }).map(({ url }) => openableUrl(url, domain));
      return openable.find((url) => url !== undefined) ?? domain;
    },
    /** Returns whether the certificate was already on record for the threat. */
    hasCertificate: (threatSeq: number, certificate: CertificateSighting) =>
      statements.findCertificate.get({ threatSeq, identity: identityOf(certificate) }) !== undefined,
    /** Adds what the sighting contains and is not on record yet. Returns whether it contains a URL that is new. */
    add(threatSeq: number, { certificate, source, url }: SightingOrigin, seenAt: Instant): boolean {
      if (certificate !== undefined) addCertificate(threatSeq, certificate, seenAt);
      return url !== undefined && addUrl(threatSeq, url, { source, seenAt });
    },
  };

  function addCertificate(threatSeq: number, certificate: CertificateSighting, seenAt: Instant): void {
    statements.insertCertificate.run({
      ...certificate,
      threatSeq,
      identity: identityOf(certificate),
      issuer: certificate.issuer.slice(0, issuerCharactersMax),
      serial: certificate.serial.slice(0, serialCharactersMax),
      seenAt,
    });
    if (statements.countCertificates.get({ threatSeq })!.total > certificatesMax)
      statements.deleteOldestCertificate.run({ threatSeq });
  }

  function addUrl(
    threatSeq: number,
    url: string,
    origin: { source: ThreatSource; seenAt: Instant },
  ): boolean {
    const added = statements.insertUrl.get({ threatSeq, url: url.slice(0, urlCharactersMax), ...origin });
    if (added === undefined) return false;
    if (statements.countUrls.get({ threatSeq })!.total > urlsMax)
      statements.deleteOldestUrl.run({ threatSeq });
    return true;
  }
}

/** Returns a URL without the name and the password in it; undefined if it is not one of the domain, or was cut. */
export function openableUrl(written: string, domain: string): string | undefined {
  const url = written.length < urlCharactersMax ? URL.parse(written) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname.replace(/\.$/, "") !== domain)
    return undefined;
  url.username = "";
  url.password = "";
  return url.href;
}

/** A precertificate and its certificate share issuer and serial, in every log (RFC 6962 §3.1). */
function identityOf({ issuer, serial, log, index }: CertificateSighting): string {
  return serial === ""
    ? `${log}#${index}`
    : `${serial.slice(0, serialCharactersMax)} ${issuer.slice(0, issuerCharactersMax)}`;
}

function createStatements(database: Database) {
  const ofThreat = hasValue(threatCertificates.threatSeq);
  const urlsOfThreat = hasValue(threatUrls.threatSeq);
  return {
    findSeq: statement(database, (query) =>
      query.select({ seq: threats.seq, domain: threats.domain }).from(threats).where(hasValue(threats.id)),
    ),
    findCertificate: statement(database, (query) =>
      query
        .select({ seq: threatCertificates.seq })
        .from(threatCertificates)
        .where(and(ofThreat, hasValue(threatCertificates.identity))),
    ),
    insertCertificate: statement(database, (query) =>
      query.insert(threatCertificates).values(valuesExcept(threatCertificates, "seq")).onConflictDoNothing(),
    ),
    countCertificates: statement(database, (query) =>
      query.select({ total: count() }).from(threatCertificates).where(ofThreat),
    ),
    deleteOldestCertificate: statement(database, (query) =>
      query
        .delete(threatCertificates)
        .where(
          sql`${threatCertificates.seq} = (select min(seq) from threat_certificates where threat_seq = ${value(threatCertificates.threatSeq)})`,
        ),
    ),
    listCertificates: statement(database, (query) =>
      query
        .select(columnsOf(threatCertificates, "issuer serial notBefore log entryUrl index isVerified seenAt"))
        .from(threatCertificates)
        .where(ofThreat)
        .orderBy(desc(threatCertificates.seq)),
    ),
    insertUrl: statement(database, (query) =>
      query
        .insert(threatUrls)
        .values(valuesOf(threatUrls, "threatSeq", "url", "source", "seenAt"))
        .onConflictDoNothing()
        .returning({ seq: threatUrls.seq }),
    ),
    countUrls: statement(database, (query) =>
      query.select({ total: count() }).from(threatUrls).where(urlsOfThreat),
    ),
    deleteOldestUrl: statement(database, (query) =>
      query
        .delete(threatUrls)
        .where(
          sql`${threatUrls.seq} = (select min(seq) from threat_urls where threat_seq = ${value(threatUrls.threatSeq)})`,
        ),
    ),
    listUrls: statement(database, (query) =>
      query
        .select(columnsOf(threatUrls, "url source seenAt"))
        .from(threatUrls)
        .where(urlsOfThreat)
        .orderBy(desc(threatUrls.seq)),
    ),
  };
}
