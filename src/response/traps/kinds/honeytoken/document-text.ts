/** Visible content of a document. */
export interface DocumentText {
  title: string;
  /** One paragraph per line. */
  text: string;
}
