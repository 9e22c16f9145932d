import type { DocumentText } from "../../presentation.ts";
import { docxDocument } from "./docx.ts";
import { pdfDocument } from "./pdf.ts";

const writers = { docx: docxDocument, pdf: pdfDocument };
export type DocumentFormat = keyof typeof writers;

/**
 * Writes a document. The same arguments give the same bytes.
 * @param url requested when the document is opened
 */
export function writeDocument(
  format: DocumentFormat,
  url: string,
  text: DocumentText,
): Uint8Array<ArrayBuffer> {
  return writers[format](url, text);
}
