import { isBlank, tooLong, type LineParser } from "./plain-lines.ts";
import {
  endOfField,
  originAfter,
  originBytesMax,
  parenthesesAfter,
  text,
  typeAndData,
  writeName,
} from "./zone.ts";

const semicolon = 0x3b;
const dollar = 0x24;
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
  let origin: Uint8Array = new Uint8Array(0);
  let apex: string | undefined;
  let parentheses = 0;
  let names = new Uint8Array(0);

  return (block, chunk) => {
    const { bytes, starts, ends, nexts, count } = block;
    const bytesMax = (nexts[count - 1] ?? 0) + count * (originBytesMax + 1);
    if (names.length < bytesMax) names = new Uint8Array(bytesMax);
    let used = 0;
    let previous = "";
    chunk.start(block, names);
    for (let i = 0; i < count; i++) {
      const start = starts[i]!;
      const end = ends[i]!;
      if (end < 0) {
        chunk.error(tooLong, i);
        continue;
      }
      const continued = parentheses > 0;
      parentheses = parenthesesAfter(bytes, start, end, parentheses);
      // A line that starts with white space continues with the previous owner.
      if (continued || start === end || isBlank(bytes[start]!) || bytes[start] === semicolon) continue;
      if (bytes[start] === dollar) {
        origin = originAfter(bytes.subarray(start, end), origin);
        if (origin.length > 0) apex ??= text(origin).toLowerCase();
        continue;
      }
      const ownerEnd = endOfField(bytes, start, end);
      const data = typeAndData(bytes.subarray(ownerEnd, Math.min(end, ownerEnd + dataBytesMax)));
      const length = writeName(bytes.subarray(start, ownerEnd), origin, names, used);
      const owner = text(names.subarray(used, used + length)).toLowerCase();
      if (data[0] === "SOA") apex = owner;
      const rule = withoutApex(owner, apex ?? "");
      const name = rule.replace(/^\*\./, "");
      if (!ruleTypes.has(data[0] ?? "") || isNoRule(name, data) || name === previous) continue;
      previous = name;
      // The name is written at the end of the buffer's used part; only its start moves.
      const nameStart = used + rule.length - name.length;
      chunk.name(nameStart, nameStart + name.length, i);
      used += length;
    }
    return undefined;
  };
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
