import { evidenceBundle, evidenceJson, json, sha256, type Evidence } from "../../evidence/evidence-bundle.ts";
import { zip } from "../../lib/zip.ts";
import type { NewReport } from "./report-input.ts";

type NewFile = NewReport["files"][number];

/** Limit of all attachments, and of the evidence bundle. Mail servers accept 10 MB, and encoding adds a third. */
const bytesMax = 5 << 20;
const screenshotsMax = 10;
/** Protects the decoder from images that are small files only. */
const pixelsMax = 20_000_000;
const jpegQuality = 80;

/**
 * Returns the files of a report: the facts as JSON and the screenshots as JPEG, which are attached, and a ZIP archive of
 * all evidence, which is kept for a recipient that asks for it. The same evidence gives the same bytes. File names never
 * depend on text of attackers.
 */
export async function reportFiles(evidence: readonly Evidence[]): Promise<NewFile[]> {
  const facts = json({ format: "phishwatch report 1", threats: evidence.map(evidenceJson) });
  const attached: NewFile[] = [file("evidence.json", "application/json", facts)];
  let bytes = facts.length;
  for (const [index, { screenshot }] of evidence.slice(0, screenshotsMax).entries()) {
    const jpeg = screenshot === undefined ? undefined : await toJpeg(screenshot);
    if (jpeg === undefined || bytes + jpeg.length > bytesMax) continue;
    bytes += jpeg.length;
    attached.push(file(`screenshot-${index + 1}.jpg`, "image/jpeg", jpeg));
  }
  const bundle = bundleOf(evidence);
  if (bundle.length > bytesMax) return attached;
  return [...attached, { ...file("evidence.zip", "application/zip", bundle), attached: false }];
}

/** Returns one digest of all files. Two forms with the same digest send the same files. */
export function digestOf(files: readonly NewFile[]): string {
  return sha256(new TextEncoder().encode(files.map(({ name, sha256: sum }) => `${name} ${sum}\n`).join("")));
}

function bundleOf(evidence: readonly Evidence[]): Uint8Array {
  const bundles = evidence.map(
    (one) => [one.threat.id, evidenceBundle(one, { isForThirdParties: true })] as const,
  );
  const [only] = bundles;
  if (bundles.length === 1 && only !== undefined) return only[1];
  return zip(Object.fromEntries(bundles.map(([id, bytes]) => [`${id}.zip`, bytes])), () => true);
}

function file(name: string, mediaType: string, content: Uint8Array): NewFile {
  return { name, mediaType, sha256: sha256(content), attached: true, content };
}

/** Abuse desks cannot always open WebP. Returns undefined if the image cannot be decoded. */
async function toJpeg(webp: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    const image = new Bun.Image(new Uint8Array(webp), { maxPixels: pixelsMax });
    return await image.jpeg({ quality: jpegQuality }).bytes();
  } catch {
    return undefined;
  }
}
