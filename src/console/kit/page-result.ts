import type { VNode } from "preact";

/** A message that the next page shows once. */
export interface Flash {
  tone: "success" | "warning" | "danger";
  text: string;
  /** One button beside it, such as to undo: a POST to `path` with these fields. */
  action?: { label: string; path: string; fields: Record<string, string | readonly string[]> };
}

export type PageResult =
  | { kind: "page"; title: string; content: VNode; status: number }
  | { kind: "redirect"; to: string; flash: Flash | undefined }
  | { kind: "fragment"; content: VNode }
  | Response;

/** A whole page within the console's frame. */
export function page(title: string, content: VNode, { status = 200 } = {}): PageResult {
  return { kind: "page", title, content, status };
}

/**
 * Another page of the console, asked for with GET.
 * @param flash what it shows once; a text alone tells of success.
 */
export function redirect(to: string, flash?: Flash | string): PageResult {
  return {
    kind: "redirect",
    to,
    flash: typeof flash === "string" ? { tone: "success", text: flash } : flash,
  };
}

/** A piece of a page, for an element with `data-refresh`. */
export function fragment(content: VNode): PageResult {
  return { kind: "fragment", content };
}

/** A file to be kept by the browser. */
export function download(
  name: string,
  type: string,
  body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | string | Blob,
): PageResult {
  // Only characters that need no quoting, in any browser.
  const safe = name.replace(/[^A-Za-z0-9._-]+/g, "_").slice(0, 120);
  return new Response(body, {
    headers: {
      "content-type": type,
      "content-disposition": `attachment; filename="${safe}"`,
    },
  });
}
