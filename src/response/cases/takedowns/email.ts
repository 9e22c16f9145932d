import type { ReportFile } from "./report.ts";

/** An email that reports a threat. */
export interface ReportEmail {
  from: string;
  replyTo: string | null;
  to: string;
  subject: string;
  body: string;
  date: Date;
  /** Without angle brackets, like `inReplyTo`. */
  messageId: string;
  /** Email that this one follows up; null: none. */
  inReplyTo: string | null;
  files: readonly (Pick<ReportFile, "name" | "mediaType"> & { content: Uint8Array })[];
}

/**
 * Returns a report in the format of RFC 5322: plain text with attachments. A person wrote and sent it, so that it has
 * none of the headers of automatic mail, which abuse desks discard. Every attempt has the same Message-ID, so that mail
 * servers recognize a second copy.
 */
export async function composeReport(email: ReportEmail): Promise<Uint8Array> {
  // Loaded with the first message: most starts need no mail.
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer");
  const { inReplyTo, replyTo } = email;
  const composer = new MailComposer({
    // A message never makes nodemailer read a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
    from: email.from,
    to: [email.to],
    replyTo: replyTo ?? undefined,
    subject: email.subject,
    date: email.date,
    messageId: `<${email.messageId}>`,
    ...(inReplyTo === null ? {} : { inReplyTo: `<${inReplyTo}>`, references: `<${inReplyTo}>` }),
    text: email.body,
    attachments: email.files.map(({ name, mediaType, content }) => ({
      filename: name,
      contentType: mediaType,
      contentDisposition: "attachment" as const,
      content: Buffer.from(content),
    })),
  });
  return composer.compile().build();
}

/** Returns the Message-ID of the report with a reference, without angle brackets. */
export function messageIdOf(reference: string, from: string): string {
  return `${reference.toLowerCase()}@${from.slice(from.lastIndexOf("@") + 1)}`;
}
