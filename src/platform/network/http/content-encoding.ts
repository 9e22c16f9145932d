import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from "node:zlib";
import { createByteBuffer } from "../byte-buffer.ts";

const zstdWindowLogMax = 23;
/** Number of codings of one body. More are an unknown coding. */
const codingsMax = 3;
const knownCodings = new Set(["gzip", "x-gzip", "br", "zstd", "deflate"]);
export const unknownCoding = "an unknown content coding";

export type Decoded = { body: Uint8Array; cut: boolean } | { error: string };

/** Encodings that `decodeBody` supports, as the value of an Accept-Encoding header. */
export const acceptedEncodings = "gzip, deflate, br, zstd";

/**
 * Decodes the content codings (RFC 9110 §8.4), the last one first, and keeps at most `bytesMax` of the result: a decompression bomb is
 * truncated like any other long response. The readable part of a broken or truncated body is returned; only a body
 * without any is an error.
 */
export async function decodeBody(
  body: Uint8Array,
  encoding: string | undefined,
  bytesMax: number,
): Promise<Decoded> {
  const codings = (encoding ?? "").toLowerCase().split(",");
  const named = codings
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity");
  if (named.length > codingsMax || !named.every((coding) => knownCodings.has(coding)))
    return { error: unknownCoding };
  let decoded = { body: body.subarray(0, bytesMax), cut: body.length > bytesMax };
  for (const [index, coding] of named.toReversed().entries()) {
    const next = await decodeOne(coding, index === 0 ? body : decoded.body, bytesMax);
    if ("error" in next) return next;
    decoded = { body: next.body, cut: next.cut || (index > 0 && decoded.cut) };
  }
  return decoded;
}

function decodeOne(coding: string, body: Uint8Array, bytesMax: number): Promise<Decoded> {
  if (body.length === 0) return Promise.resolve({ body, cut: false });
  const stream = decoderFor(coding, body);
  return new Promise((resolve) => {
    const decoded = createByteBuffer(bytesMax);
    let settled = false;
    const finish = (cut: boolean, error?: Error) => {
      if (settled) return;
      settled = true;
      stream.destroy();
      if (error !== undefined && decoded.length === 0) resolve({ error: `not ${coding}` });
      else resolve({ body: decoded.bytes(), cut });
    };
    stream.on("data", (part: Uint8Array) => {
      if (!decoded.add(part)) finish(true);
    });
    stream.on("end", () => finish(false));
    stream.on("error", (error: Error) => finish(true, error));
    stream.on("close", () => finish(true));
    stream.end(body);
  });
}

function decoderFor(coding: string, body: Uint8Array) {
  if (coding === "gzip" || coding === "x-gzip") return createGunzip();
  if (coding === "br") return createBrotliDecompress();
  // RFC 9659: a window of at most 8 MiB, which the decoder keeps in memory.
  if (coding === "zstd")
    return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLogMax } });
  // Some servers send the raw format under this name, contrary to RFC 9110 §8.4.1.2.
  return (body[0]! & 0x0f) === 8 ? createInflate() : createInflateRaw();
}
