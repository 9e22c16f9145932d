import { isBlank, tooLong, type LineParser } from "./plain-lines.ts";

// Records whose owner is a host or a delegation. Signatures and their chains repeat or hash the owners.
const ownerTypes = ["NS", "A", "AAAA", "CNAME", "DNAME", "MX", "TXT", "SRV", "DS", "CAA", "HTTPS"];
const classes = ["IN", "CH", "HS"];
/** Maximum length of a word whose letters fit into a number. */
const codeLengthMax = 6;
const ownerTypeCodes = new Set(ownerTypes.map((type) => codeOf(Buffer.from(type), 0, type.length)));
const classCodes = new Set(classes.map((name) => codeOf(Buffer.from(name), 0, name.length)));

/** Number of bytes after the owner that contain TTL, class and type. */
const typeBytesMax = 64;
const originBytesMax = 255;

const semicolon = 0x3b;
const dollar = 0x24;
const dot = 0x2e;
const at = 0x40;

/** A record at whose line an owner is written. */
export interface OwnerRecord {
  /** TTL, class, type and the first part of the data. */
  behindOwner: Uint8Array;
  /** Returns the owner, completed by the origin, without its trailing dot. */
  owner(): Uint8Array;
}

/** Takes the names of the records of one block. Returns the part of the owner that is the name, if there is one. */
export type TakeName = (record: OwnerRecord) => { start: number; length: number } | undefined;

interface ZoneOptions {
  /** The origin of the first record. */
  origin?: Uint8Array;
  /** Called with each new origin. */
  onOrigin?: (origin: Uint8Array) => void;
  /** Called with whether the last record of a block continues in the next one. */
  onBlockEnd?: (continues: boolean) => void;
}

/**
 * Parses a zone in master file format (RFC 1035, section 5.1), as registries publish it. Takes the owner of each record,
 * once for adjacent records with the same owner. `$ORIGIN` completes relative names; `$INCLUDE` is not followed.
 */
export function createZoneParser(options: ZoneOptions = {}): LineParser {
  return createRecordParser({
    ...options,
    dataBytesMax: typeBytesMax,
    startBlock() {
      let previous: Uint8Array = new Uint8Array(0);
      return ({ behindOwner, owner }) => {
        if (!ownerTypeCodes.has(typeCodeOf(behindOwner))) return undefined;
        const name = owner();
        if (Buffer.compare(name, previous) === 0) return undefined;
        previous = name;
        return { start: 0, length: name.length };
      };
    },
  });
}

interface RecordParserOptions extends ZoneOptions {
  /** Number of bytes after the owner that `TakeName` sees. */
  dataBytesMax: number;
  startBlock: () => TakeName;
}

/** Parses the records of a zone file. */
function createRecordParser(options: RecordParserOptions): LineParser {
  const { dataBytesMax, startBlock, onOrigin, onBlockEnd } = options;
  let { origin = new Uint8Array(0) } = options;
  let parentheses = 0;
  let names = new Uint8Array(0);

  return (block, chunk) => {
    const { bytes, starts, ends, nexts, count } = block;
    const bytesMax = (nexts[count - 1] ?? 0) + count * (originBytesMax + 1);
    if (names.length < bytesMax) names = new Uint8Array(bytesMax);
    let used = 0;
    const take = startBlock();
    chunk.start(block, names);
    for (let i = 0; i < count; i++) {
      const start = starts[i] ?? 0;
      const end = ends[i] ?? 0;
      if (end < 0) {
        chunk.error(tooLong, i);
        continue;
      }
      const continued = parentheses > 0;
      parentheses = parenthesesAfter(bytes, start, end, parentheses);
      // A line that starts with white space continues with the previous owner.
      if (continued || start === end || isBlank(bytes[start] ?? 0) || bytes[start] === semicolon) continue;
      if (bytes[start] === dollar) {
        origin = originAfter(bytes.subarray(start, end), origin);
        onOrigin?.(origin);
        continue;
      }
      const ownerEnd = endOfField(bytes, start, end);
      let length = 0;
      const name = take({
        behindOwner: bytes.subarray(ownerEnd, Math.min(end, ownerEnd + dataBytesMax)),
        owner() {
          length = writeName(bytes.subarray(start, ownerEnd), origin, names, used);
          return names.subarray(used, used + length);
        },
      });
      if (name === undefined) continue;
      chunk.name(used + name.start, used + name.start + name.length, i);
      used += length;
    }
    onBlockEnd?.(parentheses > 0);
    return undefined;
  };
}

/** Writes the owner without its trailing dot, completed by the origin if it is relative. */
function writeName(owner: Uint8Array, origin: Uint8Array, into: Uint8Array, offset: number): number {
  if (owner.length === 1 && owner[0] === at) {
    into.set(origin, offset);
    return origin.length;
  }
  if (owner.at(-1) === dot) {
    into.set(owner.subarray(0, -1), offset);
    return owner.length - 1;
  }
  into.set(owner, offset);
  if (origin.length === 0) return owner.length;
  into[offset + owner.length] = dot;
  into.set(origin, offset + owner.length + 1);
  return owner.length + 1 + origin.length;
}

function originAfter(line: Uint8Array, origin: Uint8Array): Uint8Array {
  const [directive, name] = text(line.subarray(0, 2 * originBytesMax)).split(/[\s;]+/, 2);
  if (directive!.toUpperCase() !== "$ORIGIN" || name === undefined || name.length > originBytesMax)
    return origin;
  const written = new Uint8Array(2 * originBytesMax + 1);
  const length = writeName(new TextEncoder().encode(name), origin, written, 0);
  return length > originBytesMax ? origin : written.slice(0, length);
}

/**
 * Returns the code of the type of a record, without creating strings, because a zone has millions. Before the type are the
 * TTL and the class, in either order.
 */
function typeCodeOf(bytes: Uint8Array): number {
  for (let start = 0; start < bytes.length;) {
    const end = endOfField(bytes, start, bytes.length);
    const code = codeOf(bytes, start, end);
    const isLifetime = isDigit(bytes[start] ?? 0);
    if (end > start && !isLifetime && !classCodes.has(code)) return code;
    start = end + 1;
  }
  return 0;
}

/** Returns a number that identifies a word of up to six letters in either case; 0 for other text. */
function codeOf(bytes: Uint8Array, start: number, end: number): number {
  if (end - start > codeLengthMax) return 0;
  let code = 0;
  for (let i = start; i < end; i++) {
    const letter = (bytes[i] ?? 0) & ~0x20;
    if (letter < 0x41 || letter > 0x5a) return 0;
    code = (code << 5) | (letter & 0x1f);
  }
  return code;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Returns the type of a record and the fields of its data, in upper case. */
function typeAndData(behindOwner: Uint8Array): string[] {
  const fields = text(behindOwner).trim().toUpperCase().split(/\s+/);
  const type = fields.findIndex((field) => !classes.includes(field) && !/^\d+[SMHDW]?$/.test(field));
  return type < 0 ? [] : fields.slice(type);
}

function parenthesesAfter(bytes: Uint8Array, start: number, end: number, open: number): number {
  let quoted = false;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === 0x5c) i++;
    else if (byte === 0x22) quoted = !quoted;
    else if (quoted) continue;
    else if (byte === semicolon) break;
    else if (byte === 0x28) open++;
    else if (byte === 0x29 && open > 0) open--;
  }
  return open;
}

function endOfField(bytes: Uint8Array, start: number, end: number): number {
  let i = start;
  while (i < end && !isBlank(bytes[i] ?? 0)) i++;
  return i;
}

export function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

/** Number of bytes after the owner that contain TTL, class, type and the target of a CNAME record. */
const dataBytesMax = 400;
/** Records that make a rule for their owner. */
const ruleTypes = new Set(["CNAME", "DNAME", "A", "AAAA", "MX", "TXT", "SRV", "HTTPS"]);
/** Triggers other than the name of a query: addresses, and names of name servers. */
const otherTrigger = /(^|\.)rpz-(ip|client-ip|nsip|nsdname)$/i;

/**
 * Parses a response policy zone (draft-vixie-dnsop-dns-rpz, section 4): a zone in which the owner of a record, without
 * the name of the zone, is the name to which a rule applies. Takes the names of all rules but those that let a name pass
 * (`rpz-passthru.`), once for adjacent rules for a name and its wildcard.
 *
 * The zone is named by its SOA record or the first `$ORIGIN`. If neither is there, as in most published files, the name
 * is in the configuration of the resolver, and all owners are relative to it.
 */
export function createPolicyZoneParser(): LineParser {
  let apex: string | undefined;
  return createRecordParser({
    dataBytesMax,
    onOrigin(origin) {
      if (origin.length > 0) apex ??= text(origin).toLowerCase();
    },
    startBlock() {
      let previous = "";
      return (record) => {
        const data = typeAndData(record.behindOwner);
        const owner = text(record.owner()).toLowerCase();
        if (data[0] === "SOA") apex = owner;
        const rule = withoutApex(owner, apex ?? "");
        const name = rule.replace(/^\*\./, "");
        if (!ruleTypes.has(data[0] ?? "") || isNoRule(name, data) || name === previous) return undefined;
        previous = name;
        return { start: rule.length - name.length, length: name.length };
      };
    },
  });
}

/** Recognizes rules for whole top-level domains and for other triggers, and those that let a name pass. */
function isNoRule(name: string, [type, target = ""]: readonly string[]): boolean {
  if (!name.includes(".") || otherTrigger.test(name)) return true;
  // An alias for itself is the older form of letting a name pass.
  return type === "CNAME" && (target === "RPZ-PASSTHRU." || target === `${name.toUpperCase()}.`);
}

function withoutApex(owner: string, apex: string): string {
  if (apex === "") return owner;
  if (owner === apex) return "";
  return owner.endsWith(`.${apex}`) ? owner.slice(0, -apex.length - 1) : owner;
}
