import { escapeHidden } from "../../../platform/lib/safe-text.ts";
import type { Notice } from "../../content/notice.ts";
import { plainText } from "../../content/plain-text.ts";
import type { Screenshot } from "../http/screenshots.ts";
import { renderHtml } from "./html.ts";

const imageId = "screenshot";

/**
 * Returns a message as an email in the format of RFC 5322: plain text, HTML, and the screenshot attached. Every attempt
 * has the same Message-ID. All emails about one threat are one thread, as are those about one condition.
 * @param options.from address of the sender, without a name
 * @param options.to addresses of all recipients, whether or not this attempt is for them
 */
export async function composeLetter(
  notice: Notice,
  { from, to, image }: { from: string; to: readonly string[]; image: Screenshot | null },
): Promise<Uint8Array> {
  // Loaded with the first message: most starts need no mail.
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer");
  const domain = from.slice(from.lastIndexOf("@") + 1);
  const thread = threadOf(notice);
  const root =
    thread === null ? {} : { inReplyTo: `<${thread}@${domain}>`, references: `<${thread}@${domain}>` };
  const composer = new MailComposer({
    // A message never makes nodemailer read a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
    from: { name: "phishwatch", address: from },
    to: [...to],
    subject: subjectOf(notice),
    date: new Date(notice.at),
    messageId: `<${idOf(notice.id)}@${domain}>`,
    ...root,
    headers: {
      // RFC 3834: automatic responders stay silent. The others are for programs that do not know it.
      "Auto-Submitted": "auto-generated",
      "X-Auto-Response-Suppress": "All",
      Precedence: "bulk",
      "List-Id": `phishwatch <phishwatch.${domain}>`,
      ...(notice.tone === "high" ? { Importance: "High" } : {}),
    },
    text: `${plainText(notice, { title: false }) || notice.title}\n`,
    html: renderHtml(notice, image === null ? null : imageId),
    ...(image === null ? {} : { attachments: [attachmentOf(image)] }),
  });
  return composer.compile().build();
}

function attachmentOf({ mediaType, bytes }: Screenshot) {
  return {
    cid: imageId,
    contentDisposition: "inline" as const,
    contentType: mediaType,
    filename: "screenshot.jpg",
    content: Buffer.from(bytes),
  };
}

/** Identifier of what the message is about. */
function threadOf({ threat, condition }: Notice): string | null {
  if (threat !== null) return idOf(threat.id);
  return condition === null ? null : `condition.${idOf(condition.key)}`;
}

/** Removes what does not belong in a message identifier. */
function idOf(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]+/g, ".").replaceAll(/^\.|\.$/g, "");
}

/** Returns the title on one line. nodemailer encodes it for the header. */
function subjectOf({ title }: Notice): string {
  return escapeHidden(title.replaceAll(/\s+/g, " ").trim());
}
