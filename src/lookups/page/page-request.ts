import type { PeerCertificate } from "../../network/http/connection.ts";
import { acceptedEncodings, decodeBody } from "../../network/http/content-encoding.ts";
import type { FailureKind } from "../../network/failure.ts";
import type { HttpClient } from "../../network/http/http-client.ts";

/** One answer on the way to a page. */
export interface Hop {
  url: string;
  status: number;
  /** Where a redirect leads, as it was written. */
  location: string | undefined;
  contentType: string | undefined;
  /** Without its content coding, at most as long as was asked for. */
  body: Uint8Array;
  cut: boolean;
  /** Why not all of the page can be read. */
  fault: string | undefined;
  /** Seconds and address of a Refresh header, which browsers follow as they do the meta element. */
  refresh: string | undefined;
  certificate: PeerCertificate | undefined;
  /** The first characters of the body. */
  start(): string;
}

export type PageRequest = (
  url: string,
  limits: { timeoutMs: number; bodyBytesMax: number; signal?: AbortSignal },
) => Promise<Hop | { failure: FailureKind; reason: string }>;

const redirectStatuses = new Set([301, 302, 303, 307, 308]);
/** Below this only the web's own ports: nobody's redirect makes us talk to mail servers. */
const unprivilegedPort = 1_024;

/** One request for a page as a browser would send it. Certificates are looked at, not relied on. */
export function createPageRequest({
  client,
  userAgent,
  ports,
}: {
  client: HttpClient;
  userAgent: string;
  ports: { http: number; https: number };
}): PageRequest {
  return async (address, { timeoutMs, bodyBytesMax, signal }) => {
    const url = new URL(address);
    if (url.protocol !== "http:" && url.protocol !== "https:")
      return { failure: "protocol", reason: "leads to an address that is not of the web" };
    const port = url.port === "" ? undefined : Number(url.port);
    if (port !== undefined && port < unprivilegedPort && port !== ports.http && port !== ports.https)
      return { failure: "protocol", reason: `leads to port ${port}, which is not of the web` };
    // The default ports are those of the caller.
    if (port === undefined) url.port = String(url.protocol === "https:" ? ports.https : ports.http);
    const result = await client.send({
      url: url.href,
      method: "GET",
      headers: {
        "User-Agent": userAgent,
        Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "Accept-Language": "en;q=0.9,*;q=0.5",
        "Accept-Encoding": acceptedEncodings,
      },
      body: new Uint8Array(0),
      timeoutMs,
      bodyBytesMax,
      anyCertificate: true,
      ...(signal === undefined ? {} : { signal }),
    });
    if (!("response" in result)) return { failure: result.failure, reason: result.reason };
    const { status, headers, body, cut } = result.response;
    const decoded = await decodeBody({
      body,
      encoding: headers.get("content-encoding"),
      bytesMax: bodyBytesMax,
    });
    const content = "error" in decoded ? new Uint8Array(0) : decoded.body;
    const isCut = cut || "error" in decoded || decoded.cut;
    return {
      url: address,
      status,
      location: redirectStatuses.has(status) ? headers.get("location") : undefined,
      contentType: headers.get("content-type"),
      body: content,
      cut: isCut,
      fault: "error" in decoded ? decoded.error : isCut ? "it is too long to be read to its end" : undefined,
      refresh: headers.get("refresh"),
      certificate: result.certificate,
      start: () => new TextDecoder("latin1").decode(content.subarray(0, 256)),
    };
  };
}
