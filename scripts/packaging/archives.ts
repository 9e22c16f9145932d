import { zipSync, type Zippable } from "fflate";

// Archives whose bytes depend on their content only. They are compressed in JavaScript: Bun's own compressor chooses
// its instructions by processor, so its bytes can differ between machines.

/** A file, folder or symbolic link of an archive. */
export type Entry = { path: string; mode?: number; group?: { id: number; name: string }; user?: number } & (
  { kind: "file"; bytes: Uint8Array } | { kind: "folder" } | { kind: "link"; to: string }
);

const blockBytes = 512;
const compressionLevel = 6;
const pathBytesMax = 100;

export function file(path: string, content: string | Uint8Array, mode = 0o644): Entry {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return { kind: "file", path, bytes, mode };
}

export function folder(path: string, mode = 0o755): Entry {
  return { kind: "folder", path, mode };
}

/** Returns the entries with their parent folders, sorted, so that a folder precedes its content. */
export function withFolders(entries: readonly Entry[]): Entry[] {
  const all = new Map(entries.map((entry) => [entry.path, entry]));
  for (const { path } of entries) {
    const parts = path.split("/");
    for (let length = 1; length < parts.length; length++) {
      const parent = parts.slice(0, length).join("/");
      if (!all.has(parent)) all.set(parent, folder(parent));
    }
  }
  return [...all.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/**
 * Returns a tar archive in the format ustar, with all files owned by root unless an entry says otherwise.
 * @throws if a path is longer than 100 bytes
 */
export function tar(entries: readonly Entry[], timeS: number): Uint8Array<ArrayBuffer> {
  const blocks = entries.map((entry) => {
    const bytes = entry.kind === "file" ? entry.bytes : new Uint8Array();
    return { header: tarHeader(entry, bytes.length, timeS), bytes };
  });
  const padded = (length: number) => Math.ceil(length / blockBytes) * blockBytes;
  const content = blocks.reduce((sum, { bytes }) => sum + blockBytes + padded(bytes.length), 0);
  const archive = new Uint8Array(content + 2 * blockBytes);
  let offset = 0;
  for (const { header, bytes } of blocks) {
    archive.set(header, offset);
    archive.set(bytes, offset + blockBytes);
    offset += blockBytes + padded(bytes.length);
  }
  return archive;
}

function tarHeader(entry: Entry, size: number, timeS: number): Uint8Array {
  const header = new Uint8Array(blockBytes);
  const text = (offset: number, value: string) => header.set(new TextEncoder().encode(value), offset);
  const octal = (offset: number, length: number, value: number) =>
    text(offset, value.toString(8).padStart(length - 1, "0"));
  const path = entry.kind === "folder" ? `${entry.path}/` : entry.path;
  const longest = Math.max(Buffer.byteLength(path), entry.kind === "link" ? Buffer.byteLength(entry.to) : 0);
  if (longest > pathBytesMax) throw new Error(`path of more than ${pathBytesMax} bytes: ${path}`);
  text(0, path);
  octal(100, 8, entry.kind === "link" ? 0o777 : (entry.mode ?? (entry.kind === "folder" ? 0o755 : 0o644)));
  octal(108, 8, entry.user ?? 0);
  octal(116, 8, entry.group?.id ?? 0);
  octal(124, 12, size);
  octal(136, 12, timeS);
  text(148, "        ");
  text(156, { file: "0", link: "2", folder: "5" }[entry.kind]);
  if (entry.kind === "link") text(157, entry.to);
  text(257, "ustar");
  text(263, "00");
  if (entry.user === undefined) text(265, "root");
  text(297, entry.group?.name ?? "root");
  const sum = header.reduce((total, byte) => total + byte, 0);
  text(148, `${sum.toString(8).padStart(6, "0")}\0 `);
  return header;
}

/** Compresses without a name and a time. libdeflate takes a third of the time of fflate. */
export function gzip(bytes: Uint8Array, level: 6 | 9 = compressionLevel): Uint8Array<ArrayBuffer> {
  return Bun.gzipSync(bytes as Uint8Array<ArrayBuffer>, { level, library: "libdeflate" });
}

/** Returns a ZIP archive of the files. It has no folders and no links. */
export function zip(entries: readonly Entry[], timeS: number): Uint8Array<ArrayBuffer> {
  const files: Zippable = {};
  for (const entry of entries) {
    if (entry.kind === "file") files[entry.path] = entry.bytes;
  }
  return zipSync(files, { level: compressionLevel, mtime: zipTime(timeS) });
}

/** ZIP stores local time, so this has the local time that equals the UTC time of `timeS`. */
function zipTime(timeS: number): Date {
  const utc = new Date(timeS * 1000);
  return new Date(
    utc.getUTCFullYear(),
    utc.getUTCMonth(),
    utc.getUTCDate(),
    utc.getUTCHours(),
    utc.getUTCMinutes(),
    utc.getUTCSeconds(),
  );
}

export function sha256(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}

/** Returns the lines of a file that `sha256sum --check` reads. */
export function checksumLines(files: readonly { name: string; bytes: Uint8Array }[]): string {
  return files.map(({ name, bytes }) => `${sha256(bytes)}  ${name}\n`).join("");
}
