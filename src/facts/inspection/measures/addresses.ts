import { splitName } from "../../../engines/detection/names/suffix.ts";
import { lazy } from "../../../platform/lib/startup.ts";
import hostsText from "./data/known-hosts.txt" with { type: "text" };

/** An address in the parts that are compared. */
export interface AddressParts {
  host: string;
  /** Lower case, without a slash at the end. */
  path: string;
  /** Last part of the path without its extension, version numbers and hashes; "" without a file. */
  file: string;
  extension: string;
}

/** Kinds of hosts that are known independently of the brand. */
export type HostKind = "shared" | "archive" | "short" | "hosting" | "collector";
/** Kinds of file names. */
export type FileKind = "mailer" | "kit" | "common";

const partLengthMax = 200;

/** @returns undefined for anything but HTTP and HTTPS. */
export function addressParts(address: string): AddressParts | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, pathname } = new URL(address);
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  const path = pathname.toLowerCase().slice(0, partLengthMax).replace(/\/+$/, "");
  const last = path.slice(path.lastIndexOf("/") + 1);
  const dot = last.lastIndexOf(".");
  const [name, extension] = dot > 0 ? [last.slice(0, dot), last.slice(dot + 1)] : [last, ""];
  return { host: hostname.replace(/\.$/, ""), path, file: plainName(name), extension };
}

/** Returns an address without its query and fragment, which differ between visits. */
export function withoutQuery(address: string): string {
  return address.replace(/[?#].*$/s, "");
}

/** Drops what changes with every release: minification, hashes, sizes and versions. */
function plainName(name: string): string {
  return name
    .replace(
      /[._-](min|slim|prod|production|bundle|chunk|pack|umd|esm|module|lite|full|all|x?\d+x\d*)(?=$|[._-])/g,
      "",
    )
    .replace(/[._@-]v?\d+(\.\d+)*(?=$|[._-])/g, "")
    .replace(/[._-](?=[a-z0-9]*\d)[a-z0-9]{6,64}$/, "")
    .replace(/\(\d+\)|%20\d+/g, "")
    .replace(/^[._-]+|[._-]+$/g, "");
}

interface KnownHosts {
  hosts: ReadonlyMap<string, { kind: HostKind; path: string }[]>;
  files: Record<FileKind, ReadonlySet<string>>;
}

const known = lazy((): KnownHosts => {
  const hosts = new Map<string, { kind: HostKind; path: string }[]>();
  const files = { mailer: new Set<string>(), kit: new Set<string>(), common: new Set<string>() };
  const lines = hostsText.split("\n").filter((line) => !line.startsWith("#"));
  for (const [kind, ...entries] of lines.map((line) => line.split(" ")))
    for (const entry of entries) {
      if (kind === "mailer" || kind === "kit" || kind === "common") files[kind].add(entry);
      else {
        const [host = ""] = entry.split("/", 1);
        const listed = hosts.get(host) ?? [];
        hosts.set(host, [...listed, { kind: kind as HostKind, path: entry.slice(host.length) }]);
      }
    }
  return { hosts, files };
});

export function isKnown(kind: HostKind, { host, path }: Pick<AddressParts, "host" | "path">): boolean {
  const { hosts } = known();
  for (let from = 0; ;) {
    const entries = hosts.get(host.slice(from));
    if (entries?.some((entry) => entry.kind === kind && path.startsWith(entry.path)) === true) return true;
    const dot = host.indexOf(".", from);
    if (dot < 0) return false;
    from = dot + 1;
  }
}

/** Matches a file name, also with a number after it: `send2`. */
export function isFileKind(kind: FileKind, file: string): boolean {
  return known().files[kind].has(file.replace(/[\d_-]+$/, ""));
}

/** A file name that hardly two unrelated sites have in common. */
export function isDistinctiveFile({ file }: AddressParts): boolean {
  return (
    file.length >= 4 && /[a-z]{3}/.test(file) && !isFileKind("common", file) && !file.startsWith("jquery")
  );
}

/** Registrable domain of a host; the host itself for an IP address or a name that is a suffix. */
export function siteOf(host: string): string {
  if (isIpAddress(host)) return host;
  return splitName(host).registrableDomain || host;
}

export function isIpAddress(host: string): boolean {
  return host.startsWith("[") || /^\d+(\.\d+){3}$/.test(host);
}
