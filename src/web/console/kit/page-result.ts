import { h, type ComponentChildren, type VNode } from "preact";
import { HeadedPage, type PageStart, type Flash } from "./components.tsx";

export type PageResult =
  | {
      kind: "page";
      title: string;
      content: ComponentChildren;
      status: number;
      beside: VNode | null | undefined;
      alone: boolean;
    }
  | { kind: "redirect"; to: string; flash: Flash | undefined; cookie: string | undefined }
  | { kind: "fragment"; content: VNode }
  | Response;

/**
 * Returns a whole page inside the console's layout.
 * @param start the head of the page; only the title of the document if the content has a head of its own
 * @param options.alone without the navigation
 * @param options.beside what stands beside the content of a work page, if anything; undefined: a page for reading
 */
export function page(
  start: string | PageStart,
  content: ComponentChildren,
  { status = 200, beside, alone = false }: { status?: number; beside?: VNode | null; alone?: boolean } = {},
): PageResult {
  if (typeof start === "string") return { kind: "page", title: start, content, status, beside, alone };
  const { title, errors = {} } = start;
  const isValid = Object.keys(errors).length === 0;
  return {
    kind: "page",
    title,
    content: h(HeadedPage, { start, children: content }),
    status: isValid ? status : 400,
    beside,
    alone,
  };
}

/**
 * Redirects to another page of the console.
 * @param flash message to show there once; a plain text means success
 * @param options.cookie `Set-Cookie` value
 */
export function redirect(
  to: string,
  flash?: Flash | string,
  { cookie }: { cookie?: string } = {},
): PageResult {
  return {
    kind: "redirect",
    to,
    cookie,
    flash: typeof flash === "string" ? { tone: "success", text: flash } : flash,
  };
}

/** Returns a part of a page, for an element with `data-refresh`. */
export function fragment(content: VNode): PageResult {
  return { kind: "fragment", content };
}

/** Returns a file that the browser saves. */
export function download(
  name: string,
  type: string,
  body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | string | Blob,
): PageResult {
  // Only characters that need no quoting in any browser.
  const safe = name.replace(/[^A-Za-z0-9._-]+/g, "_").slice(0, 120);
  return new Response(body, {
    headers: {
      "content-type": type,
      "content-disposition": `attachment; filename="${safe}"`,
    },
  });
}
