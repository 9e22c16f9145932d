import { createLimiter } from "../../../platform/lib/limiter.ts";
import { svgContent } from "../markup/inline-svg.ts";
import type { PageRequest } from "../visits/page-request.ts";
import { grayPixels } from "./gray-pixels.ts";
import type { PageContent } from "./page-content.ts";
import type { PagePicture } from "./page-view.ts";
import { hashSide, perceptualHash } from "./perceptual-hash.ts";
import { fieldsOf, parseJson } from "../../../platform/lib/json.ts";

/** Pictures of a page, and what its application manifest says. */
export type ReadPictures = Awaited<ReturnType<typeof readPictures>>;

/** Maximum numbers of files that are requested for one page. */
const requestedMax = { icon: 2, logo: 3, picture: 2 } as const;
/** Maximum number of pictures that the page itself contains. */
const embeddedMax = 12;
const pictureBytesMax = 256 * 1024;
const manifestBytesMax = 64 * 1024;
const manifestNameLengthMax = 200;
const redirectsMax = 2;
const requestTimeoutMs = 10_000;
/** Number of requests to the site of a page at the same time. */
const concurrencyMax = 2;
/** Decoded, a picture takes 4 bytes for each pixel. */
const pixelsMax = 4_000_000;
const black = 0;

interface Candidate {
  role: PagePicture["role"];
  url: string;
}

/** Reads the icons of a page, what is probably its logo, and a few other pictures. A failure omits a picture. */
export async function readPictures(content: PageContent, { base, get }: { base: string; get: PageRequest }) {
  const manifest = await readManifest(content, base, get);
  const candidates = candidatesOf(content, base, manifest?.icons ?? []);
  const limited = createLimiter(concurrencyMax);
  const [first] = candidates;
  const read = await Promise.all(
    candidates.map((candidate) =>
      limited(async () => {
        const bytes = dataAddress(candidate.url) ?? (await fetchPicture(candidate.url, get));
        return bytes === undefined
          ? undefined
          : { candidate, bytes, picture: await pictureOf(candidate, bytes) };
      }),
    ),
  );
  const found = read.filter((picture) => picture !== undefined);
  const icon = found.find(({ candidate }) => candidate === first && candidate.role === "icon");
  const pictures = [...found.map(({ picture }) => picture), ...content.svgs.map(svgPicture)];
  return {
    pictures: [
      ...new Map(pictures.map((picture) => [`${picture.role} ${picture.sha256}`, picture])).values(),
    ],
    /** In the form of Shodan's `http.favicon.hash`; undefined if there is no icon or it cannot be fetched. */
    faviconHash: icon === undefined ? undefined : faviconHash(icon.bytes),
    /** `name` and `short_name` of the application manifest. */
    manifestNames: manifest?.names,
  };
}

function candidatesOf(content: PageContent, base: string, manifestIcons: readonly string[]): Candidate[] {
  const candidates: Candidate[] = [];
  const seen = new Set<string>();
  const requested = { icon: 0, logo: 0, picture: 0 };
  let embedded = 0;
  const add = (role: PagePicture["role"], href: string | undefined) => {
    if (href === undefined || !URL.canParse(href, base)) return;
    const { href: url } = new URL(href, base);
    const isEmbedded = url.startsWith("data:");
    if (seen.has(url) || (isEmbedded ? embedded >= embeddedMax : requested[role] >= requestedMax[role]))
      return;
    if (!isEmbedded && !/^https?:/.test(url)) return;
    seen.add(url);
    if (isEmbedded) embedded += 1;
    else requested[role] += 1;
    candidates.push({ role, url });
  };
  add("icon", faviconAddress(content.icons, base));
  for (const { href } of content.icons) add("icon", href === "" ? undefined : href);
  for (const href of manifestIcons) add("icon", href);
  for (const role of ["logo", "picture"] as const)
    for (const picture of content.pictures) if (picture.role === role) add(role, picture.url);
  return candidates;
}

async function fetchPicture(address: string, get: PageRequest): Promise<Uint8Array | undefined> {
  const hop = await fetchFile(address, get, pictureBytesMax);
  if (hop === undefined) return undefined;
  const isPage = /^text\/html/i.test(hop.contentType ?? "") || /^\s*<(!doctype html|html)/i.test(hop.start());
  return isPage ? undefined : hop.body;
}

/** Returns a complete response with content, or undefined. */
async function fetchFile(address: string, get: PageRequest, bodyBytesMax: number) {
  let url = address;
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    const hop = await get(url, { kind: "part", timeoutMs: requestTimeoutMs, bodyBytesMax });
    if ("reason" in hop) return undefined;
    if (hop.location === undefined)
      return hop.status === 200 && !hop.cut && hop.body.length > 0 ? hop : undefined;
    if (!URL.canParse(hop.location, url)) return undefined;
    url = new URL(hop.location, url).href;
  }
  return undefined;
}

async function pictureOf({ role, url }: Candidate, bytes: Uint8Array): Promise<PagePicture> {
  const isEmbedded = url.startsWith("data:");
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 512));
  if (/<svg[\s>]/i.test(start)) {
    const sha256 = sha256Of(svgContent(new TextDecoder().decode(bytes)));
    return { role, url: isEmbedded ? null : url, sha256 };
  }
  const hash = await hashOf(bytes);
  return {
    role,
    url: isEmbedded ? null : url,
    sha256: sha256Of(bytes),
    ...(hash === undefined ? {} : { hash }),
  };
}

function svgPicture(svg: string): PagePicture {
  const role = /logo|brand/i.test(svg.slice(0, 500)) ? "logo" : "picture";
  return { role, url: null, sha256: sha256Of(svgContent(svg)) };
}

function sha256Of(content: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(content).digest("hex").slice(0, 16);
}

/** Returns the perceptual hash of a picture; undefined for a blank one, and for formats that are not decoded. */
async function hashOf(bytes: Uint8Array): Promise<string | undefined> {
  const image = imageOfIconFile(bytes) ?? bytes;
  if (!isDecoded(image)) return undefined;
  try {
    // A white logo on a transparent background is visible only on a dark page.
    return (
      perceptualHash(await grayPixels(image, hashSide, hashSide, { pixelsMax })) ??
      perceptualHash(await grayPixels(image, hashSide, hashSide, { pixelsMax, background: black }))
    );
  } catch {
    return undefined;
  }
}

/** Formats that pages use for logos. Decoders of rarer ones would read what attackers write. */
function isDecoded(image: Uint8Array): boolean {
  // A decoder of this name would read windows-1252, in which the first byte of a PNG is another character.
  const start = Buffer.from(image.subarray(0, 12)).toString("latin1");
  return /^(?:\x89PNG|\xff\xd8\xff|GIF8|BM|RIFF.{4}WEBP)/s.test(start);
}

async function readManifest(
  content: PageContent,
  base: string,
  get: PageRequest,
): Promise<{ names: string[]; icons: string[] } | undefined> {
  const linked = content.resources.find(({ kind }) => kind === "manifest");
  if (linked === undefined || !URL.canParse(linked.url, base)) return undefined;
  const address = new URL(linked.url, base).href;
  if (!/^https?:/.test(address)) return undefined;
  const hop = await fetchFile(address, get, manifestBytesMax);
  if (hop === undefined) return undefined;
  const manifest = parseJson(hop.body);
  if (typeof manifest !== "object" || manifest === null) return undefined;
  const { name, short_name: shortName, icons } = fieldsOf(manifest);
  const names = [name, shortName].filter((value) => typeof value === "string");
  const addresses = (Array.isArray(icons) ? icons.slice(0, 10) : []).flatMap((icon: unknown) => {
    const { src } = fieldsOf(icon);
    return typeof src === "string" && URL.canParse(src, address) ? [new URL(src, address).href] : [];
  });
  return { names: names.map((text) => text.slice(0, manifestNameLengthMax)), icons: addresses };
}

/** Largest image of an icon file. */
interface Entry {
  width: number;
  length: number;
  offset: number;
}

const headerBytes = 6;
const entryBytes = 16;
const entriesMax = 64;
const bitmapHeaderBytes = 14;
const pngStart = [0x89, 0x50, 0x4e, 0x47];

/**
 * Returns the largest image of an icon file (ICO: a PNG or a bitmap without its file header) as a PNG or BMP file.
 * Undefined for anything else.
 */
function imageOfIconFile(icon: Uint8Array): Uint8Array | undefined {
  if (icon.length < headerBytes + entryBytes) return undefined;
  const view = new DataView(icon.buffer, icon.byteOffset, icon.byteLength);
  if (view.getUint16(0, true) !== 0 || view.getUint16(2, true) !== 1) return undefined;
  const count = Math.min(view.getUint16(4, true), entriesMax);
  const entries: Entry[] = [];
  for (let index = 0; index < count; index += 1) {
    const at = headerBytes + index * entryBytes;
    if (at + entryBytes > icon.length) break;
    const [length, offset] = [view.getUint32(at + 8, true), view.getUint32(at + 12, true)];
    // 0 stands for 256.
    if (length > 40 && offset + length <= icon.length)
      entries.push({ width: icon[at] === 0 ? 256 : (icon[at] ?? 0), length, offset });
  }
  const [largest] = entries.toSorted((one, other) => other.width - one.width);
  if (largest === undefined) return undefined;
  const image = icon.subarray(largest.offset, largest.offset + largest.length);
  return pngStart.every((byte, index) => image[index] === byte) ? image : asBitmapFile(image);
}

/** Adds the file header of a bitmap, and drops the mask: an icon states the height of both together. */
function asBitmapFile(image: Uint8Array): Uint8Array | undefined {
  const view = new DataView(image.buffer, image.byteOffset, image.byteLength);
  const infoBytes = view.getUint32(0, true);
  const [bits, colors] = [view.getUint16(14, true), view.getUint32(32, true)];
  if (infoBytes < 40 || infoBytes > image.length) return undefined;
  const paletteBytes = bits > 8 ? 0 : 4 * (colors === 0 ? 2 ** bits : Math.min(colors, 256));
  const file = new Uint8Array(bitmapHeaderBytes + image.length);
  file.set(image, bitmapHeaderBytes);
  const written = new DataView(file.buffer);
  file.set([0x42, 0x4d]);
  written.setUint32(2, file.length, true);
  written.setUint32(10, bitmapHeaderBytes + infoBytes + paletteBytes, true);
  written.setInt32(bitmapHeaderBytes + 8, Math.trunc(view.getInt32(8, true) / 2), true);
  return file;
}

/**
 * Hashes a site's icon as Shodan's `http.favicon.hash` does, so that it can be searched for there and in similar indexes:
 * MurmurHash3 (x86, 32 bit, seed 0, signed) of the icon in base64 with a line feed after every 76 characters and at the
 * end, as written by Python's `base64.encodebytes`.
 */
export function faviconHash(bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString("base64")
      .match(/.{1,76}/g) ?? [];
  return String(Bun.hash.murmur32v3(lines.map((line) => `${line}\n`).join(""), 0) | 0);
}

/** Returns the URL of a page's icon: linked, or the default that browsers try. */
export function faviconAddress(
  icons: readonly { rel: string; href: string }[],
  base: string,
): string | undefined {
  const usable = icons.find(({ rel, href }) => href !== "" && /(^|\s)icon(\s|$)/.test(rel));
  const href = usable?.href ?? "/favicon.ico";
  return URL.canParse(href, base) ? new URL(href, base).href : undefined;
}

/** Returns the content of a `data:` URL (RFC 2397); undefined for any other URL. */
export function dataAddress(address: string): Uint8Array | undefined {
  const match = /^data:([^,]{0,200}),/.exec(address);
  if (match === null) return undefined;
  const content = address.slice(match[0].length);
  try {
    const bytes = /;\s*base64\s*$/i.test(match[1]!)
      ? Buffer.from(decodeURIComponent(content), "base64")
      : Buffer.from(decodeURIComponent(content));
    return bytes.length === 0 ? undefined : bytes;
  } catch {
    return undefined;
  }
}
