import type { LineParser } from "./plain-lines.ts";
import { createRecordParser, text, typeAndData } from "./zone.ts";

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
