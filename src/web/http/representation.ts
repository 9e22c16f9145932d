/** A smaller body fits into one packet as it is. */
const compressedBytesMin = 1_400;
/** As for block lists: a third of the time of level 6, for a body that is a sixth larger. */
const compressionLevel = 1;
const varied = "accept-encoding";

/**
 * Returns a body as it is sent: compressed, if it is large enough and the client accepts that. Sets the headers that say so.
 * Not for pages that contain secrets beside text that an attacker can choose, request again and again, and whose length
 * they can observe (BREACH): the console is never compressed. A browser sends no API key on its own.
 */
export function encoded(
  body: string | Uint8Array<ArrayBuffer>,
  request: Request,
  headers: Record<string, string>,
): string | Uint8Array<ArrayBuffer> {
  if (!isCompressible(body)) return body;
  return acceptsGzip(request, headers) ? Bun.gzipSync(body, { level: compressionLevel }) : body;
}

export function isCompressible({ length }: string | Uint8Array): boolean {
  return length >= compressedBytesMin;
}

/** Returns whether the client accepts gzip. Sets the headers of a response that is compressed for such clients. */
export function acceptsGzip({ headers: sent }: Request, headers: Record<string, string>): boolean {
  headers["vary"] = varied;
  const accepted = hasGzip(sent.get("accept-encoding"));
  if (accepted) headers["content-encoding"] = "gzip";
  return accepted;
}

/** Returns whether a value of Accept-Encoding names gzip. */
export function hasGzip(header: string | null): boolean {
  for (const part of header?.toLowerCase().split(",") ?? []) {
    const [coding = "", ...parameters] = part.split(";").map((text) => text.trim());
    if (coding === "gzip") return !parameters.some((text) => /^q=0(\.0*)?$/.test(text));
  }
  return false;
}

/** Returns the response to a client that has the body already. */
export function notModified(body: string | Uint8Array, headers: Record<string, string>): Response {
  if (isCompressible(body)) headers["vary"] = varied;
  return new Response(null, { status: 304, headers });
}

/**
 * Returns whether `If-None-Match` names a tag (RFC 9110, section 13.1.2). Compares weakly: proxies that compress make a tag
 * weak, and some append `-gzip` to it.
 * @param tag without quotes
 */
export function namesTag(header: string, tag: string): boolean {
  return header.trim() === "*" || header.split(",").some((one) => plainTag(one) === tag);
}

function plainTag(tag: string): string {
  return tag
    .trim()
    .replace(/^(?:W\/)?"(.*)"$/, "$1")
    .replace(/-gzip$/, "");
}
