import { badRequest, FieldError } from "../../../platform/lib/errors.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import type { ReportMethod } from "../../../platform/vocabulary/cases.ts";
import {
  bodyCharactersMax,
  referencePattern,
  responseCharactersMax,
  responsesPerReportMax,
  subjectCharactersMax,
  ticketCharactersMax,
  type Report,
  type ReportFile,
  type ReportPurpose,
  type ReportRecipient,
  type ReportResponse,
  type Takedown,
} from "./report.ts";

/** A report that a person sends. */
export interface NewReport {
  reference: string;
  purpose: ReportPurpose;
  previousSeq: number | null;
  recipient: ReportRecipient;
  method: ReportMethod;
  subject: string;
  body: string;
  /** Number that a form returned; null: none. */
  ticket: string | null;
  threats: readonly { id: string; protectedDomain: string; hoster: string | null }[];
  files: readonly (Omit<ReportFile, "bytes"> & { content: Uint8Array })[];
  /** Null: not an email. */
  messageId: string | null;
  followUpAfterMs: number;
}

/** Everything about one report. */
export interface ReportDetails {
  report: Report;
  takedowns: Takedown[];
  /** Newest first. */
  responses: ReportResponse[];
  files: (ReportFile & { position: number; isKept: boolean })[];
  /** Reports that follow it up or escalate it. */
  after: Report[];
  previous: Report | null;
}

/** Text in brackets that the person has to replace. */
export const signaturePlaceholder = "[name, organization, phone]";

/**
 * Returns a report with its texts normalized.
 * @throws FieldError `subject`, `body`, `ticket`, `email`
 */
export function validReport(report: NewReport): NewReport {
  if (!referencePattern.test(report.reference))
    throw badRequest("The reference of the form is invalid. Open the form again.");
  const subject = validSubject(report.subject);
  const body = validBody(report.body);
  if (report.method === "email") validAddress(report.recipient.email ?? "");
  if (report.method === "email" && body.includes(signaturePlaceholder))
    throw new FieldError(
      "body",
      `replace ${signaturePlaceholder} with your name, or set takedown.signature in the configuration file`,
    );
  return { ...report, subject, body, ticket: report.ticket === null ? null : validTicket(report.ticket) };
}

const addressForm = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?$/;

/** @throws FieldError `email` */
function validAddress(email: string): void {
  if (!addressForm.test(email))
    throw new FieldError("email", "enter one email address, such as abuse@hosting.example");
}

function validSubject(given: string): string {
  const subject = given.trim().normalize("NFC");
  if (subject === "") throw new FieldError("subject", "the subject is empty");
  if (subject.length > subjectCharactersMax)
    throw new FieldError("subject", `a subject has at most ${subjectCharactersMax} characters`);
  // Line breaks would begin another header.
  if (visible(subject, subject.length) !== subject)
    throw new FieldError("subject", "the subject contains a line break or a hidden character; remove it");
  return subject;
}

function validBody(given: string): string {
  const body = lines(given).trimEnd();
  if (body.trim() === "") throw new FieldError("body", "the text is empty");
  if (body.length > bodyCharactersMax)
    throw new FieldError(
      "body",
      `the text has ${body.length} characters; the maximum is ${bodyCharactersMax}`,
    );
  return `${body}\n`;
}

/** @param count responses on record */
export function validResponse(given: string, count: number): string {
  const text = lines(given).trim();
  if (text === "") throw new FieldError("text", "paste the response");
  if (text.length > responseCharactersMax)
    throw new FieldError(
      "text",
      `the response has ${text.length} characters; the maximum is ${responseCharactersMax}. Paste the part that matters`,
    );
  if (count >= responsesPerReportMax)
    throw badRequest(`The report already has ${responsesPerReportMax} responses, which is the maximum.`);
  return text;
}

/** @returns null if it is empty */
export function validTicket(given: string): string | null {
  const ticket = given.trim();
  if (ticket === "") return null;
  if (ticket.length > ticketCharactersMax || visible(ticket, ticket.length) !== ticket)
    throw new FieldError("ticket", `a reference has at most ${ticketCharactersMax} visible characters`);
  return ticket;
}

/** Normalizes line breaks, and drops characters that no text needs and that nodemailer or a reader may misinterpret. */
function lines(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}]/gu, "");
}
