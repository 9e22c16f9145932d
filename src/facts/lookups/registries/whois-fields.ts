/** One field of a WHOIS response. */
export interface WhoisField {
  /** The heading above it, or the first key of its paragraph; lower case. */
  section: string;
  /** Lower case, without brackets and trailing dots; for a line without a key under a heading, the heading. */
  key: string;
  value: string;
}

/** Several times the longest response of a registry. */
const linesMax = 1_000;
const lineLengthMax = 2_000;
const keyLengthMax = 48;
const continuationIndentMin = 8;

/** Headings that some registries (.it, .tr) write without a colon. */
const bareHeadings = new Set(
  (
    "registrar,registrant,nameservers,name servers,dnssec,domain servers in listed order," +
    "admin contact,technical contacts,administrative contact,technical contact"
  ).split(","),
);

/** Returns the lines that are read, without their ends. */
export function whoisLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/, linesMax).map((line) => line.slice(0, lineLengthMax));
}

/**
 * Parses a WHOIS response into fields. There is no grammar (RFC 3912 does not define the response), but nearly all
 * registries use one of four forms: `Key: value`; headings with lines below them, indented or not (.uk, .nl, .eu, .it);
 * `[Key] value` (.jp); and RPSL-like paragraphs that start with the object that they describe (.fr, .br, .ru).
 */
export function whoisFields(text: string): WhoisField[] {
  const fields: WhoisField[] = [];
  let section = "";
  let heading = "";
  /** A key without a value: a heading if the next line is nested below it, otherwise a missing value. */
  let pending: { key: string; indent: number } | undefined;
  let paragraphStart = true;
  for (const rawLine of whoisLines(text)) {
    const line = rawLine.replaceAll("\t", "        ").trimEnd();
    const bare = line.trim();
    if (bare === "") {
      paragraphStart = true;
      pending = undefined;
      heading = "";
      continue;
    }
    if (/^[%#;]/.test(bare) || /^(>>>|--|==)/.test(bare)) continue;
    const bracketed = /^(?:[a-z]\.\s*)?\[([^\]]{1,48})\]\s*(.*)$/i.exec(bare);
    if (bracketed !== null) {
      fields.push({ section: "", key: keyOf(bracketed[1]!), value: bracketed[2]! });
      continue;
    }
    const starred = bare.startsWith("**");
    const indent = starred ? -1 : line.length - line.trimStart().length;
    const keyed = keyedLine(bare.replace(/^\*+ */, ""));
    if (pending !== undefined && (keyed === undefined || indent > pending.indent))
      section = heading = pending.key;
    pending = undefined;
    if (keyed === undefined) {
      const last = fields.at(-1);
      if (bareHeadings.has(bare.toLowerCase())) section = heading = bare.toLowerCase();
      else if (heading !== "") fields.push({ section, key: heading, value: bare });
      // .pl: further values are below the first one, far to the right.
      else if (indent >= continuationIndentMin && !paragraphStart && last !== undefined)
        fields.push({ ...last, value: bare });
    } else if (keyed.value === "") {
      pending = { key: keyed.key, indent };
    } else {
      if (paragraphStart && indent === 0) section = keyed.key;
      if (section !== heading) heading = "";
      fields.push({ section, key: keyed.key, value: keyed.value });
    }
    paragraphStart = false;
  }
  return fields;
}

function keyedLine(line: string): { key: string; value: string } | undefined {
  const at = line.indexOf(":");
  // A colon inside a word belongs to a time, a URL or an IPv6 address.
  if (
    at < 1 ||
    at > keyLengthMax ||
    (at < line.length - 1 && line[at + 1] !== " " && !/^[a-z. -]+$/i.test(line.slice(0, at)))
  )
    return undefined;
  if (/^https?$/i.test(line.slice(0, at))) return undefined;
  return { key: keyOf(line.slice(0, at)), value: line.slice(at + 1).trim() };
}

function keyOf(text: string): string {
  return text
    .replace(/[.\s]+$/, "")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}
