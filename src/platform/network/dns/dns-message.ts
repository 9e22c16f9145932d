/**
 * DNS queries and responses (RFC 1035, EDNS of RFC 6891). dns-packet reads the wire format; this module decides which
 * messages to accept and what they mean for the query.
 */
import { isIP } from "node:net";
import { decode, encode, RECURSION_DESIRED, type Answer, type DecodedPacket } from "dns-packet";
import { visible } from "../../lib/safe-text.ts";

export type DnsType = "A" | "AAAA" | "MX" | "NS" | "SOA" | "TXT" | "CNAME";

interface Common {
  /** Owner, lowercase, without trailing dot. */
  name: string;
  /** In seconds. */
  ttl: number;
}
export type DnsRecord = Common &
  (
    | { type: "A" | "AAAA" | "CNAME" | "NS" | "TXT"; data: string }
    | { type: "MX"; data: { preference: number; exchange: string } }
    | { type: "SOA"; data: { primary: string; mailbox: string; serial: number } }
  );

/**
 * Result of a query:
 * - `answer`: the name exists. Its CNAME records come first, in the order of the chain, then the records of the
 *   type at its end. A chain with nothing at its end consists of CNAME records only.
 * - `nodata`: the name exists and has no record of this type
 * - `nxdomain`: the name does not exist, and nothing below it exists
 * - `unknown`: no usable response. This must not be read as "does not exist".
 */
export type DnsAnswer =
  | { outcome: "answer"; records: DnsRecord[] }
  | { outcome: "nodata" }
  | { outcome: "nxdomain" }
  | { outcome: "unknown"; reason: string };

export interface DnsQuery {
  /** 16 random bits. */
  id: number;
  /** Lowercase, A-label form, without trailing dot. */
  name: string;
  type: DnsType;
}

/** Relation of a received message to a query. */
export type Reply =
  /** Not a response to the query: another query's, or a forged one. */
  | { kind: "foreign" }
  /** Does not fit into a datagram; repeat the query over TCP. */
  | { kind: "truncated" }
  /** The server does not support EDNS; repeat the query without it. */
  | { kind: "without_edns" }
  | { kind: "answer"; answer: DnsAnswer };

/** Advertised datagram size: passes unfragmented everywhere (DNS flag day 2020). */
const udpPayloadBytes = 1232;
const headerBytes = 12;
const recordsMax = 256;
const chainHopsMax = 16;
const nameCharactersMax = 300;
const textCharactersMax = 4_000;

const rcodes = { noError: 0, formErr: 1, servFail: 2, nxDomain: 3, notImp: 4, refused: 5 } as const;
const rcodeNames: Record<number, string> = { 1: "FORMERR", 2: "SERVFAIL", 4: "NOTIMP", 5: "REFUSED" };

export function encodeQuery({ id, name, type }: DnsQuery, options: { edns: boolean }): Uint8Array {
  return encode({
    type: "query",
    id,
    flags: RECURSION_DESIRED,
    questions: [{ type, name, class: "IN" }],
    additionals: options.edns ? [ednsRecord] : [],
  });
}

const ednsRecord: Answer = {
  type: "OPT",
  name: ".",
  udpPayloadSize: udpPayloadBytes,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

/** Reads any message without throwing. @param sent bytes of the query, as returned by `encodeQuery`. */
export function readReply(message: Uint8Array, query: DnsQuery, sent: Uint8Array): Reply {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  if (bytes.length < headerBytes || bytes.readUInt16BE(0) !== query.id) return { kind: "foreign" };
  const flags = bytes.readUInt16BE(2);
  const isResponse = (flags & 0x8000) !== 0;
  const rcode = flags & 0xf;
  // Servers that cannot parse the query may return only the header.
  const bare = bytes.readUInt16BE(4) === 0 && bytes.length === headerBytes && rcode !== rcodes.noError;
  if (!isResponse || !(bare || hasQuestionOf(bytes, sent))) return { kind: "foreign" };
  if (rcode === rcodes.formErr || rcode === rcodes.notImp) return { kind: "without_edns" };
  if ((flags & 0x0200) !== 0) return { kind: "truncated" };
  if (rcode !== rcodes.noError && rcode !== rcodes.nxDomain)
    return unknown(rcodeNames[rcode] ?? `code ${rcode}`);
  try {
    return { kind: "answer", answer: interpret(decode(bytes), query, rcode) };
  } catch {
    return unknown("the response is malformed");
  }
}

/** Returns whether the question is the one that was sent, ignoring case. */
function hasQuestionOf(bytes: Buffer, sent: Uint8Array): boolean {
  if (bytes.readUInt16BE(4) !== 1) return false;
  // A name of the query ends with the only zero byte that is a length; type and class follow.
  const end = sent.indexOf(0, headerBytes) + 5;
  if (bytes.length < end) return false;
  for (let i = headerBytes; i < end; i++) {
    const byte = bytes[i]!;
    // Lengths are below 64, so only letters are changed.
    const lower = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
    if (lower !== sent[i]) return false;
  }
  return true;
}

function interpret(packet: DecodedPacket, { name, type }: DnsQuery, rcode: number): DnsAnswer {
  const answers = readRecords(packet.answers ?? []);
  const chain: DnsRecord[] = [];
  const seen = new Set([name]);
  let end = name;
  for (;;) {
    const found = answers.filter((record) => record.type === type && record.name === end);
    if (found.length > 0) return { outcome: "answer", records: [...chain, ...found] };
    const alias = answers.find((record) => record.type === "CNAME" && record.name === end);
    if (alias === undefined) break;
    end = alias.data as string;
    chain.push(alias);
    if (seen.has(end)) return { outcome: "unknown", reason: "its CNAME records run in a circle" };
    if (chain.length > chainHopsMax)
      return { outcome: "unknown", reason: "its chain of CNAME records is too long" };
    seen.add(end);
  }
  // RFC 6604: the code refers to the end of the chain; the name itself has a CNAME record.
  if (chain.length > 0) return { outcome: "answer", records: chain };
  if (rcode === rcodes.nxDomain) return { outcome: "nxdomain" };
  // RFC 2308 section 2.2: name servers without an SOA point elsewhere and say nothing about the name.
  const authorities = readRecords(packet.authorities ?? []);
  const has = (wanted: DnsType) => authorities.some((record) => record.type === wanted);
  if (has("NS") && !has("SOA") && packet.flag_aa !== true)
    return { outcome: "unknown", reason: "the server does not resolve names of others" };
  return { outcome: "nodata" };
}

function readRecords(answers: readonly Answer[]): DnsRecord[] {
  return answers.slice(0, recordsMax).flatMap((answer) => readRecord(answer) ?? []);
}

function readRecord(answer: Answer): DnsRecord | undefined {
  if (!("ttl" in answer) || ("class" in answer && answer.class !== "IN")) return undefined;
  const common = { name: readName(answer.name), ttl: answer.ttl ?? 0 };
  switch (answer.type) {
    case "A":
    case "AAAA":
      // The decoder reads past the end of a truncated message.
      if (isIP(answer.data) === 0) throw new Error("not an address");
      return { ...common, type: answer.type, data: answer.data };
    case "CNAME":
    case "NS":
      return { ...common, type: answer.type, data: readName(answer.data) };
    case "MX": {
      const { preference = 0, exchange } = answer.data;
      return { ...common, type: "MX", data: { preference, exchange: readName(exchange) } };
    }
    case "SOA": {
      const { mname, rname, serial = 0 } = answer.data;
      return { ...common, type: "SOA", data: { primary: readName(mname), mailbox: readName(rname), serial } };
    }
    case "TXT":
      return { ...common, type: "TXT", data: readText(answer.data) };
    default:
      return undefined;
  }
}

/** Escapes everything but ordinary characters, because a name can contain any byte. The root is the empty name. */
function readName(name: string): string {
  return name === "." ? "" : visible(name.toLowerCase(), nameCharactersMax);
}

/** The strings of one record belong together (RFC 7208 section 3.3). */
function readText(data: unknown): string {
  const pieces = (Array.isArray(data) ? data : [data]) as (string | Uint8Array)[];
  const text = pieces.map((piece) =>
    typeof piece === "string" ? piece : Buffer.from(piece).toString("utf8"),
  );
  return visible(text.join(""), textCharactersMax);
}

function unknown(reason: string): Reply {
  return { kind: "answer", answer: { outcome: "unknown", reason } };
}
