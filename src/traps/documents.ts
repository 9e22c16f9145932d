import { docxDocument } from "./docx.ts";
import { pdfDocument } from "./pdf.ts";
import type { DocumentFormat } from "../vocabulary/traps.ts";

/** What a reader of the bait sees. */
export interface DocumentText {
  title: string;
  /** Each line a paragraph. */
  text: string;
}

export const documentTypes: Record<DocumentFormat, string> = {
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  pdf: "application/pdf",
};

/** The same bytes for the same arguments. @param url what is asked for when the document is opened. */
export function makeDocument(
  format: DocumentFormat,
  url: string,
  text: DocumentText,
): Uint8Array<ArrayBuffer> {
  return format === "docx" ? docxDocument(url, text) : pdfDocument(url, text);
}
