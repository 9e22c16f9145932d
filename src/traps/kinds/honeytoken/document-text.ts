/** What readers of a document see. */
export interface DocumentText {
  title: string;
  /** One paragraph per line. */
  text: string;
}
