/** What a honeytoken of kind `url` answers. */
export type TokenAnswer =
  | { kind: "not_found" }
  /** A page of this title and text. */
  | { kind: "page"; title: string; text: string }
  | { kind: "redirect"; url: string };
