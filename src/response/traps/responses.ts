import { escapeMarkup } from "../../platform/lib/safe-text.ts";

/** Responses to visitors. None of them reveals that the address belongs to a trap. */

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

const notFoundPage = htmlPage(
  "404 Not Found",
  "<h1>Not Found</h1>\n<p>The requested URL was not found on this server.</p>",
);

const badRequestPage = htmlPage(
  "400 Bad Request",
  "<h1>Bad Request</h1>\n<p>The server could not understand the request.</p>",
);

/** Returns the same response for an address that never existed, no longer exists, or pretends not to exist. */
export function notFoundResponse(): Response {
  return new Response(notFoundPage, { status: 404, headers: pageHeaders });
}

/** Returns the response to a request that cannot be read. */
export function badRequestResponse(): Response {
  return new Response(badRequestPage, { status: 400, headers: pageHeaders });
}

/** @param body HTML with its text escaped; `title` is escaped here */
export function pageResponse(title: string, body: string): Response {
  return new Response(htmlPage(escapeMarkup(title), body), { headers: pageHeaders });
}

/** A GIF of one transparent pixel. */
const pixel = Uint8Array.fromBase64("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7");

/** Returns an image of one transparent pixel. */
export function pixelResponse(cacheControl: string): Response {
  return new Response(pixel, {
    headers: {
      "content-type": "image/gif",
      // Lets pages that isolate themselves (COEP) load it.
      "cross-origin-resource-policy": "cross-origin",
      "x-content-type-options": "nosniff",
      "cache-control": cacheControl,
    },
  });
}

function htmlPage(title: string, body: string): string {
  return `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${title}</title></head>\n<body>\n${body}\n</body>\n</html>\n`;
}
