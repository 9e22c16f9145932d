import { evidenceBundle, evidenceJson, json, sha256, type Evidence } from "../../evidence/evidence-bundle.ts";
import { reportedThreat } from "../../evidence/report-sections.ts";
import { toIsoTime, type Instant } from "../../../platform/lib/clock.ts";
import { zip } from "../../../platform/lib/zip.ts";
import { csvCell } from "../../outputs/exports/csv.ts";
import { withoutMailboxes } from "../../../threats/threats/severity/mailboxes.ts";
import { hasContact, knownRecipients } from "../recipients/recipients.ts";
import type { NewReport } from "./report-input.ts";
import { preparedText } from "./texts.ts";

type NewFile = NewReport["files"][number];

/** Limit of all attachments, and of the evidence bundle. Mail servers accept 10 MB, and encoding adds a third. */
export const attachedBytesMax = 5 << 20;
export const screenshotsMax = 10;
/** Protects the decoder from images that are small files only. */
const pixelsMax = 20_000_000;
const jpegQuality = 80;
/** Width of a screenshot that is too large otherwise. Its text is still readable. */
const smallWidthPixels = 800;

/**
 * Returns the files of a report: the facts as JSON, for several threats a table of their sites, and the screenshots as
 * JPEG, which can be attached, and a ZIP archive of all evidence, which is kept for a recipient that asks for it. The same
 * evidence gives the same bytes. File names never depend on text of attackers.
 */
export async function reportFiles(evidence: readonly Evidence[]): Promise<NewFile[]> {
  const facts = json({ format: "phishwatch report 1", threats: evidence.map(evidenceJson) });
  const attached: NewFile[] = [file("evidence.json", "application/json", facts)];
  if (evidence.length > 1) attached.push(file("sites.csv", "text/csv; charset=utf-8", siteTable(evidence)));
  let room = attachedBytesMax - attached.reduce((sum, { content }) => sum + content.length, 0);
  const pictured = evidence.slice(0, screenshotsMax);
  for (const [index, { screenshot }] of pictured.entries()) {
    // Each has its share of the room, so that the first ones leave enough for the others.
    const share = room / (pictured.length - index);
    const jpeg = screenshot === undefined ? undefined : await toJpeg(screenshot, share);
    if (jpeg === undefined) continue;
    room -= jpeg.length;
    attached.push(file(`screenshot-${index + 1}.jpg`, "image/jpeg", jpeg));
  }
  const bundle = bundleOf(evidence);
  if (bundle.length > attachedBytesMax) return attached;
  return [...attached, { ...file("evidence.zip", "application/zip", bundle), attached: false }];
}

const siteColumns: readonly (readonly [string, (one: Evidence) => string | number | null])[] = [
  ["domain", ({ threat }) => threat.domain],
  [
    "url",
    ({ known }) => {
      const url = known?.facts.page?.finalUrl;
      return url === undefined ? null : withoutMailboxes(url);
    },
  ],
  ["ip_addresses", ({ known }) => (known?.facts.existence?.addresses ?? []).join(" ")],
  ["name_servers", ({ known }) => (known?.facts.existence?.nameServers ?? []).join(" ")],
  ["http_status", ({ known }) => known?.facts.page?.status ?? null],
  ["page_title", ({ known }) => known?.facts.page?.title ?? null],
  ["certificate_issuer", ({ known }) => known?.facts.page?.certificate?.issuer ?? null],
  ["registrar", ({ threat }) => threat.whois.registrar ?? null],
  ["registered_at", ({ threat }) => threat.whois.created_at ?? null],
  ["protected_domain", ({ threat }) => threat.protectedDomain],
  ["first_seen", ({ threat }) => toIsoTime(threat.firstSeen)],
  ["checked_at", ({ known }) => (typeof known?.checkedAt === "number" ? toIsoTime(known.checkedAt) : null)],
];

/** Returns one record for each site (RFC 4180), in the order of the threats, for programs of abuse desks. */
function siteTable(evidence: readonly Evidence[]): Uint8Array {
  const records = [
    siteColumns.map(([name]) => name),
    ...evidence.map((one) => siteColumns.map(([, read]) => read(one))),
  ];
  return new TextEncoder().encode(records.map((cells) => `${cells.map(csvCell).join(",")}\r\n`).join(""));
}

/**
 * Returns the evidence bundle for the own organization, with the text of a report to the recipient to ask first, for a
 * person who writes it without phishwatch.
 * @param signature end of the text; null: not set
 */
export function bundleWithReport(
  evidence: Evidence,
  { now, signature }: { now: Instant; signature: string | null },
): Uint8Array<ArrayBuffer> {
  const recipients = knownRecipients(evidence);
  const recipient = recipients.find(hasContact) ?? recipients[0];
  if (recipient === undefined) return evidenceBundle(evidence);
  const { subject, body } = preparedText({
    reference: null,
    purpose: "first",
    recipient,
    threats: [reportedThreat(evidence)],
    previous: null,
    before: undefined,
    files: { attached: [], bundle: undefined },
    signature,
    now,
  });
  const to = recipient.email ?? recipient.formUrl;
  const lines = [...(to === undefined ? [] : [`To: ${to}`]), `Subject: ${subject}`, "", body];
  return evidenceBundle(evidence, { report: lines.join("\n") });
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

/**
 * Abuse desks cannot always open WebP. Returns the image in its own size, or smaller if it is too large; undefined if it is
 * still too large, or cannot be decoded.
 */
async function toJpeg(webp: Uint8Array, bytesMax: number): Promise<Uint8Array | undefined> {
  try {
    const image = () => new Bun.Image(new Uint8Array(webp), { maxPixels: pixelsMax });
    const whole = await image().jpeg({ quality: jpegQuality }).bytes();
    if (whole.length <= bytesMax) return whole;
    const small = await image()
      .resize(smallWidthPixels, undefined, { withoutEnlargement: true })
      .jpeg({ quality: jpegQuality })
      .bytes();
    return small.length <= bytesMax ? small : undefined;
  } catch {
    return undefined;
  }
}
