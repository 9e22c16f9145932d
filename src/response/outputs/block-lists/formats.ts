import { toIsoTime } from "../../../platform/lib/clock.ts";
import type { Yielder } from "../../../platform/lib/yielder.ts";
import type { BlockListFormat } from "../../../platform/vocabulary/lists.ts";
import { parentsOf, parentsOfAll } from "./coverage.ts";
import type { ListContent, ListedName } from "./list.ts";
import { serialOf } from "./serial.ts";

/**
 * The formats of lists. A listed name is blocked with everything below it, except `txt`, `hosts` and `csv`, in which it
 * is up to the reader. Allowed names below a listed one are exceptions. `txt`, `squid` and `csv` cannot express them, and the
 * reader may block what is below a name, so these leave the listed name out. `hosts` names exactly one host.
 *
 * Every blocking format denies that the name exists (NXDOMAIN) for all types of records. An address such as 0.0.0.0
 * would leave queries for AAAA or HTTPS records to the real name server.
 */

interface Format {
  contentType: string;
  /** Text before the names. Depends on the content only, so that the same content is the same file. */
  head(list: { name: string; content: ListContent; names: number }): string;
  line(row: ListedName): string;
  /** Exception for an allowed name below a listed one; undefined: the format has none. */
  exception?(name: string): string;
  /** Whether readers never block what is below a name, so that no exceptions are needed. */
  namesOneHost?: boolean;
  /** Whether readers complain about a name below another listed one. */
  listsParentsOnly?: boolean;
  /** Returns whether a name fits into the format. Default: each does. */
  fits?(name: string): boolean;
  /** Lines that the other lines require. */
  additions?(
    names: { listed: readonly string[]; allowed: readonly string[] },
    yielder: Yielder,
  ): Promise<string[]>;
}

const plainText = "text/plain; charset=utf-8";
/** Names are blocked, and blocked ones become reachable again, within this time. */
const zoneTtlSeconds = 60;
const zoneExpireSeconds = 604_800;
/** Whether a name has a parent that could be listed. */
const isDeep = (name: string) => name.indexOf(".", name.indexOf(".") + 1) !== -1;
/** A resolver appends the name of its zone, which is not known here; there is room for this many characters. */
const zoneNameLengthMax = 64;
/** 255 octets (RFC 1035) without `*.`, the length octet of the first label and the root, and the name of the zone. */
const zoneOwnerLengthMax = 255 - 2 - 2 - zoneNameLengthMax - 1;
const stepRows = 512;

const comments = (mark: string) => (list: Parameters<Format["head"]>[0]) =>
  headLines(list)
    .map((line) => `${mark} ${line}\n`)
    .join("");

/**
 * Returns lines for the names between a listed name and a deeper line. `a.b.example.com` makes `b.example.com` exist in
 * the zone without a record (an empty non-terminal, RFC 4592), and `*.example.com` then matches neither it nor anything
 * below it: `c.b.example.com` would be reachable, although `example.com` is listed.
 */
const namesBetween: Format["additions"] = async ({ listed, allowed }, yielder) => {
  let blocked: Set<string> | undefined;
  const exceptions = new Set(allowed);
  const between = new Set<string>();
  const deep: string[] = allowed.filter(isDeep);
  for (let at = 0; at < listed.length; at += stepRows) {
    for (const name of listed.slice(at, at + stepRows)) if (isDeep(name)) deep.push(name);
    if (yielder.due()) await yielder.pause();
  }
  for (let index = 0; index < deep.length; index += 1) {
    if (index % stepRows === 0 && yielder.due()) await yielder.pause();
    const parents = parentsOf(deep[index]!);
    blocked ??= new Set(listed);
    const nearest = parents.findIndex((parent) => exceptions.has(parent) || blocked!.has(parent));
    if (nearest === -1 || exceptions.has(parents[nearest]!)) continue;
    for (const parent of parents.slice(0, nearest)) between.add(parent);
  }
  return [...between].sort().map((name) => `${name} CNAME .\n*.${name} CNAME .\n`);
};

const formats: Record<BlockListFormat, Format> = {
  txt: {
    contentType: plainText,
    // Firewalls differ in the comments that they accept.
    head: () => "",
    line: ({ name }) => `${name}\n`,
    namesOneHost: false,
  },
  hosts: {
    contentType: plainText,
    head: comments("#"),
    line: ({ name }) => `0.0.0.0 ${name}\n`,
    namesOneHost: true,
  },
  adblock: {
    contentType: plainText,
    head: (list) => `${comments("!")(list)}! Expires: 1 hours\n`,
    line: ({ name }) => `||${name}^\n`,
    exception: (name) => `@@||${name}^\n`,
  },
  dnsmasq: {
    contentType: plainText,
    head: comments("#"),
    line: ({ name }) => `address=/${name}/\n`,
    exception: (name) => `server=/${name}/#\n`,
  },
  unbound: {
    contentType: plainText,
    head: (list) => `${comments("#")(list)}server:\n`,
    line: ({ name }) => `local-zone: "${name}." always_nxdomain\n`,
    exception: (name) => `local-zone: "${name}." always_transparent\n`,
  },
  rpz: {
    contentType: plainText,
    head: (list) =>
      `${comments(";")(list)}$TTL ${zoneTtlSeconds}\n` +
      `@ IN SOA localhost. hostmaster.localhost. ${serialOf(list.content.changedAt)} ${zoneTtlSeconds} ${zoneTtlSeconds} ${zoneExpireSeconds} ${zoneTtlSeconds}\n` +
      "@ IN NS localhost.\n",
    line: ({ name }) => `${name} CNAME .\n*.${name} CNAME .\n`,
    exception: (name) => `${name} CNAME rpz-passthru.\n*.${name} CNAME rpz-passthru.\n`,
    fits: (name) => name.length <= zoneOwnerLengthMax,
    additions: namesBetween,
  },
  squid: {
    contentType: plainText,
    head: comments("#"),
    line: ({ name }) => `.${name}\n`,
    listsParentsOnly: true,
  },
  csv: {
    contentType: "text/csv; charset=utf-8; header=present",
    head: () => "name,protected_domain,type,severity,first_seen\r\n",
    line: ({ name, protectedDomains, type, severity, firstSeen }) =>
      `${cell(name)},${cell(protectedDomains.join(" "))},${type},${severity},${toIsoTime(firstSeen)}\r\n`,
    namesOneHost: false,
  },
};

export function contentTypeOf(format: BlockListFormat): string {
  return formats[format].contentType;
}

/** Renders a list. Two calls with the same content return the same bytes. */
export async function renderList(
  format: BlockListFormat,
  { name, content }: { name: string; content: ListContent },
  yielder: Yielder,
): Promise<Uint8Array<ArrayBuffer>> {
  const { additions, exception, fits = () => true, head, line } = formats[format];
  const { listsParentsOnly = false, namesOneHost = false } = formats[format];
  const exceptions = exception === undefined ? [] : content.allowed.filter(fits);
  // A name above an allowed one that cannot be an exception is not listed.
  const unprotected = content.allowed.filter(
    (allowed) => !namesOneHost && (exception === undefined || !fits(allowed)),
  );
  const leftOut = parentsOfAll(unprotected);
  const parents = listsParentsOnly
    ? new Set(content.rows.map((row) => row.name).filter((one) => !leftOut.has(one)))
    : undefined;
  const listed: string[] = [];
  const parts: Buffer[] = [];
  for (let at = 0; at < content.rows.length; at += stepRows) {
    let part = "";
    const end = Math.min(at + stepRows, content.rows.length);
    for (let index = at; index < end; index += 1) {
      const row = content.rows[index]!;
      if (!fits(row.name) || (leftOut.size > 0 && leftOut.has(row.name))) continue;
      if (parents !== undefined && parentsOf(row.name).some((parent) => parents.has(parent))) continue;
      part += line(row);
      listed.push(row.name);
    }
    parts.push(bytesOf(part));
    if (yielder.due()) await yielder.pause();
  }
  if (exception !== undefined) parts.push(bytesOf(exceptions.map(exception).join("")));
  const added = additions === undefined ? [] : await additions({ listed, allowed: exceptions }, yielder);
  const first = head({ name, content, names: listed.length });
  return Buffer.concat([bytesOf(first), ...parts, bytesOf(added.join(""))]);
}

/** Names are ASCII. */
const bytesOf = (text: string) => Buffer.from(text, "latin1");

function headLines({ name, content: { changedAt }, names }: Parameters<Format["head"]>[0]): string[] {
  return [`Title: phishwatch ${name}`, `Last modified: ${toIsoTime(changedAt)}`, `Names: ${names}`];
}

const formulaStarts = "=+-@";

/** Quotes are not needed: names contain none, and no comma. Spreadsheets execute cells that begin like a formula. */
function cell(text: string): string {
  return formulaStarts.includes(text.charAt(0)) ? `'${text}` : text;
}
