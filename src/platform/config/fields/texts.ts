import { isIP } from "node:net";
import { resolve } from "node:path";
import { Cron } from "croner";
import { durationForm, formatDuration, parseDuration, suggestDuration } from "../../lib/durations.ts";
import { isPublicSuffix, parseHostName } from "../../lib/host-names.ts";
import { visible } from "../../lib/safe-text.ts";
import { plural } from "./config-error.ts";
import { matching, type Rejection, type TextReader } from "./fields.ts";

/** Readers of structured texts: durations, names, addresses, paths, schedules. */

export interface HostPort {
  host: string;
  port: number;
}

export function formatHostPort({ host, port }: HostPort): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

export function readDuration(range: { minimumMs: number; maximumMs: number }): TextReader<number> {
  const within = `from ${formatDuration(range.minimumMs)} to ${formatDuration(range.maximumMs)}`;
  return (text) => {
    const ms = parseDuration(text);
    if (ms === null) {
      const suggestion = suggestDuration(text);
      return { allowed: durationForm, nearest: suggestion && `"${suggestion}"` };
    }
    return ms >= range.minimumMs && ms <= range.maximumMs
      ? { value: ms }
      : { allowed: `a duration ${within}` };
  };
}

const sizeUnits = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 } as const;

/** Number of bytes: a whole number with a unit. */
export function readSize({ minimum, maximum }: { minimum: number; maximum: number }): TextReader<number> {
  return (text) => {
    const [, digits, unit] = /^([0-9]{1,15}) ?(B|KiB|MiB|GiB|TiB)$/.exec(text) ?? [];
    if (digits === undefined) {
      const meant = /^([0-9]{1,15}) ?([kmgt])i?b?$/i.exec(text);
      const nearest = meant === null ? undefined : `"${meant[1]}${meant[2]!.toUpperCase()}iB"`;
      return { allowed: `a size such as "512MiB" or "2GiB"`, nearest };
    }
    const bytes = Number(digits) * sizeUnits[unit as keyof typeof sizeUnits];
    return bytes >= minimum && bytes <= maximum
      ? { value: bytes }
      : { allowed: `a size from ${formatSize(minimum)} to ${formatSize(maximum)}` };
  };
}

function formatSize(bytes: number): string {
  const [unit, factor] = Object.entries(sizeUnits).findLast(([, size]) => bytes >= size)!;
  return `${bytes / factor}${unit}`;
}

/** PATH_MAX of Linux. */
const pathLengthMax = 4096;

/** Path, resolved against the folder of the configuration file. */
export const readPath: TextReader<string> = (text, { folder }) =>
  text === "" || text.includes("\0") || text.length > pathLengthMax
    ? { allowed: `a path of at most ${pathLengthMax} characters` }
    : { value: resolve(folder, text) };

export const readDatabasePath: TextReader<string> = (text, context) =>
  text === ":memory:" ? { value: text } : readPath(text, context);

export const readScreenshots: TextReader<"auto" | "off" | { path: string }> = (text, context) => {
  if (text === "auto" || text === "off") return { value: text };
  const path = readPath(text, context);
  return "value" in path
    ? { value: { path: path.value } }
    : { allowed: `"auto", "off" or the path of a Chromium` };
};

const argumentCharactersMax = 1_000;

export const readChromiumArgument: TextReader<string> = (text) =>
  text.startsWith("--") && text.length <= argumentCharactersMax && !text.includes("\0")
    ? { value: text }
    : { allowed: `an argument such as "--no-sandbox", of at most ${argumentCharactersMax} characters` };

/** `host:port`, `192.0.2.1:port` or `[2001:db8::1]:port`; port 0 lets the system choose. */
export function readListen(text: string): { value: HostPort } | Rejection {
  const allowed = `host:port or [IPv6]:port, such as "127.0.0.1:8080"`;
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+)):([0-9]{1,5})$/.exec(text);
  if (match === null) {
    return { allowed, nearest: listenMeant(text) };
  }
  const [, address, name, port] = match;
  const host = address === undefined ? hostOf(name!) : isIP(address) === 6 ? address.toLowerCase() : null;
  if (host === null) return { allowed };
  if (Number(port) > 65_535) return { allowed: "a port from 0 to 65535" };
  return { value: { host, port: Number(port) } };
}

/** Suggests a form for a port without a host, or for an IPv6 address without brackets. */
function listenMeant(text: string): string | undefined {
  if (/^[0-9]{1,5}$/.test(text)) return `"127.0.0.1:${text}"`;
  if (/^:[0-9]{1,5}$/.test(text)) return `"0.0.0.0${text}"`;
  const [, address, port] = /^([0-9A-Fa-f:.]{2,45}):([0-9]{1,5})$/.exec(text) ?? [];
  return isIP(address ?? "") === 6 ? `"[${address}]:${port}"` : undefined;
}

/** Name under which clients reach the server, as a `Host` header contains it. */
export const readHost: TextReader<string> = (text) => {
  const host = hostOf(text);
  if (host !== null) return { value: host };
  const meant = parseHostName(URL.parse(text)?.hostname ?? text.replace(/:[0-9]+$/, ""));
  return {
    allowed: `a host name such as "phishwatch.example.com", without scheme and port`,
    nearest: meant === null ? undefined : `"${meant}"`,
  };
};

function hostOf(text: string): string | null {
  return isIP(text) === 4 ? text : parseHostName(text);
}

/** `ip`, `ip:port` or `[IPv6]:port`; the port is 53 unless given. */
export const readResolver: TextReader<{ address: string; port: number }> = (text) => {
  if (isIP(text) !== 0) return { value: { address: text.toLowerCase(), port: 53 } };
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::([0-9]{1,5}))?$/.exec(text);
  const address = match?.[1] ?? match?.[2] ?? "";
  const port = Number(match?.[3] ?? 53);
  const known = match?.[1] === undefined ? isIP(address) === 4 : isIP(address) === 6;
  if (known && port >= 1 && port <= 65_535) return { value: { address: address.toLowerCase(), port } };
  return { allowed: `an IP address with or without a port, such as "9.9.9.9:53" or "[2620:fe::fe]:53"` };
};

/** `address/prefix`; an address without a prefix is a network of one address. */
export const readNetwork: TextReader<string> = (text) => {
  const [address = "", prefix, ...rest] = text.split("/");
  const version = isIP(address);
  const bits = version === 4 ? 32 : 128;
  const length = prefix === undefined ? bits : /^[0-9]{1,3}$/.test(prefix) ? Number(prefix) : Infinity;
  if (version === 0 || length > bits || rest.length > 0 || address.includes("%")) {
    return { allowed: `a network such as "10.0.0.0/8" or "2001:db8::/32"` };
  }
  return { value: `${address.toLowerCase()}/${length}` };
};

const scheduleLengthMax = 200;

/** Five fields, or a nickname such as `@daily`; must match at some time. */
export const readSchedule: TextReader<string> = (text) => {
  if (text.length > scheduleLengthMax) return { allowed: `at most ${scheduleLengthMax} characters` };
  const allowed = `five cron fields in UTC such as "17 3 * * *", or "" for never`;
  try {
    // Only validates the pattern: paused, without a job, with the next run after a fixed date. `timezone: "UTC"`
    // instead of the offset would load the time zones, which takes 7 ms of the start.
    const cron = new Cron(text, { paused: true, utcOffset: 0, mode: "5-part" });
    if (/^[0-9]{4}-/.test(text)) return { allowed };
    if (cron.nextRun(new Date(0)) === null) return { allowed: "a schedule that comes round" };
    return { value: text };
  } catch {
    return { allowed };
  }
};

/** Domain that can be owned, in A-label form. */
export function readDomain(text: string): ReturnType<TextReader<string>> {
  const name = parseHostName(text);
  if (name !== null && !isPublicSuffix(name)) return { value: name };
  const allowed = "a domain name with a label before its public suffix, such as example.com";
  return { allowed, nearest: name === null ? domainWithin(text) : undefined };
}

/** Reads a protected domain, which may also be a public suffix of several labels, such as `gov.uk`. */
export function readProtectedDomain(text: string): ReturnType<TextReader<string>> {
  const name = parseHostName(text);
  return name !== null && name.includes(".") ? { value: name } : readDomain(text);
}

/** Returns the domain in a URL, an email address or a wildcard, for the hint. */
function domainWithin(text: string): string | undefined {
  const bare = text
    .slice(0, 500)
    .trim()
    .replace(/^[a-z+]+:\/\//i, "")
    .replace(/[/?#].*$/s, "")
    .replace(/^.*@/s, "")
    .replace(/:[0-9]+$/, "")
    .replace(/^\*?\./, "");
  const name = parseHostName(bare);
  return name === null || isPublicSuffix(name) ? undefined : `"${name}"`;
}

/** Brand keyword: characters of a label, including Unicode letters; lowercase, NFC. */
export function readKeyword(text: string): ReturnType<TextReader<string>> {
  const word = text.normalize("NFC").toLowerCase();
  if (/^[\p{L}\p{N}][\p{L}\p{N}\p{M}-]{1,62}$/u.test(word)) return { value: word };
  return { allowed: "a word of 2 to 63 letters, digits and hyphens" };
}

/** Name of a feed, key or endpoint. */
export const readName = matching(
  /^[A-Za-z0-9]([A-Za-z0-9 ._-]{0,62}[A-Za-z0-9._-])?$/,
  "a name of 1 to 64 ASCII letters, digits, spaces and . _ -",
);

export const readColumn: TextReader<string> = (text) =>
  text.length <= 200 && visible(text) === text
    ? { value: text }
    : { allowed: "a column of at most 200 visible characters" };

const urlLengthMax = 2000;

/** Parses a URL. Webhook URLs contain secrets in their paths, so errors show only the origin. */
function parseUrl(text: string): { url: URL } | { allowed: string; found: string } {
  const url = /^[\x21-\x7e]+$/.test(text) && text.length <= urlLengthMax ? URL.parse(text) : null;
  const allowed = `an https:// address of at most ${urlLengthMax} ASCII characters`;
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    return { allowed, found: `a string of ${plural(text.length, "character")} that is no such address` };
  }
  if (url.username !== "" || url.password !== "") {
    return { allowed: "an address without them", found: "an address with a user name or password" };
  }
  if (url.hash !== "") return { allowed: "an address without it", found: "an address with a #fragment" };
  if (url.port === "0") return { allowed: "a port from 1 to 65535", found: "an address with port 0" };
  return { url };
}

/** Splits `Name: value`, a request header (names: RFC 9110 §5.1). Returns undefined for a text of another form. */
export function parseHeader(text: string): readonly [name: string, value: string] | undefined {
  const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}):[ \t]*([ -~]{0,2000}?)[ \t]*$/.exec(text);
  return match === null ? undefined : [match[1]!, match[2]!];
}

/** Request header. Values may be secret and are never shown. */
export const readHeader: TextReader<readonly [name: string, value: string]> = (text) => {
  const value = parseHeader(text);
  const allowed = `"Name: value" in visible ASCII characters`;
  return value === undefined
    ? { allowed, found: `a string of ${plural(text.length, "character")} that is no header` }
    : { value };
};

/** URL of an endpoint. Whether `http://` is allowed depends on another setting; see conflicts.ts. */
export const readEndpointUrl: TextReader<string> = (text) => {
  const parsed = parseUrl(text);
  return "url" in parsed ? { value: parsed.url.href } : parsed;
};

/** Without trailing slash, so that paths can be appended. */
export const readTrapsUrl: TextReader<string> = (text) => {
  const parsed = parseUrl(text);
  if (!("url" in parsed))
    return { ...parsed, allowed: parsed.allowed.replace("https://", "http:// or https://") };
  if (parsed.url.search !== "") return { allowed: "an address without ?query" };
  return { value: `${parsed.url.origin}${parsed.url.pathname.replace(/\/+$/, "")}` };
};

/** The same without a path: appliances on one host would share cookies, and the pages of one could act in another. */
export const readPublicUrl: TextReader<string> = (text, context) => {
  const read = readTrapsUrl(text, context);
  return "value" in read && new URL(read.value).pathname !== "/"
    ? {
        allowed:
          'an address without a path, with a host name of its own, such as "https://phishwatch.example.com"',
      }
    : read;
};
