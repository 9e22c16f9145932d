import { h, type ComponentChildren, type VNode } from "preact";
import { PublicError } from "../../../platform/lib/errors.ts";
import { sentence } from "../../../platform/lib/wording.ts";
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

/** Returns the attributes of an element that is replaced by what `path` serves, as long as its content changes. */
export function refreshing(isChanging: boolean, path: string, everyMs: number) {
  return isChanging ? { "data-refresh": path, "data-refresh-ms": String(everyMs) } : {};
}

/** Returns a part of a page, for an element with `data-refresh`. */
export function fragment(content: VNode): PageResult {
  return { kind: "fragment", content };
}

/** Runs an action. What is wrong with its input is said on another page, `to`; other errors are thrown. */
export async function orBackTo(to: string, action: () => Promise<PageResult>): Promise<PageResult> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    return redirect(to, { tone: "danger", text: sentence(error.message) });
  }
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
