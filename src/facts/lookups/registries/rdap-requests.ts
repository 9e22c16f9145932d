import { decodeBody } from "../../../platform/network/http/content-encoding.ts";
import type { HttpResponse } from "../../../platform/network/http/http-response.ts";
import { retryAfterMs } from "../../../platform/network/http/retry-after.ts";
import type { NetworkNeeds } from "../../../platform/network/http/needs.ts";
import type { Contact, LookupFailure, ServerPacing } from "./server-pacing.ts";

export interface RdapPage {
  ok: true;
  status: number;
  contentType: string;
  text: string;
  /** URL that responded, after redirects. */
  url: string;
}

/** Fetches a URL of an RDAP service, when it is its turn, and follows its redirects. Never throws for what others do. */
export type GetRdap = (url: string) => Promise<RdapPage | LookupFailure>;

/** Several times the longest response of a registrar. Takes a few milliseconds to parse, whatever it contains. */
const bodyBytesMax = 128 * 1024;
const redirectsMax = 3;
const redirectStatuses = [301, 302, 303, 307, 308];
/** Ports below this are rejected, so that no link or redirect makes us contact a mail server. */
const unprivilegedPort = 1_024;

/** One response: a page, the URL that it redirects to, or why its body cannot be read. */
type Hop = { page: Omit<RdapPage, "ok" | "url"> } | { redirect: string } | { problem: string };

/**
 * Creates the requests to RDAP services (RFC 7480).
 *
 * @param client rejects addresses that must not be contacted, at every hop.
 * @param timeoutMs limit for one request.
 */
export function createRdapRequests(
  dependencies: NetworkNeeds<"client" | "clock" | "turns" | "userAgent"> & {
    pacing: ServerPacing;
    timeoutMs: number;
  },
): GetRdap {
  const { client, clock, pacing, turns, userAgent, timeoutMs } = dependencies;
  async function request(url: string): Promise<Contact<Hop>> {
    const result = await client.send({
      url,
      headers: { Accept: "application/rdap+json", "Accept-Encoding": "gzip", "User-Agent": userAgent },
      timeoutMs,
      bodyBytesMax,
    });
    return "response" in result
      ? readHop(result.response, url, clock.now())
      : { kind: "failed", reason: result.reason };
  }

  return async (firstUrl) => {
    let url = firstUrl;
    for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
      const { host: server, port } = new URL(url);
      if (port !== "" && Number(port) < unprivilegedPort)
        return { ok: false, reason: `${server}: not a web port` };
      const target = url;
      const result = await pacing.query(server, () => request(target));
      if (!result.ok) return result;
      const hop = result.response;
      if ("problem" in hop) return { ok: false, reason: `${server}: ${hop.problem}` };
      if ("page" in hop) {
        await turns.next();
        return { ok: true, ...hop.page, url };
      }
      url = hop.redirect;
    }
    return { ok: false, reason: `more than ${redirectsMax} redirects` };
  };
}

async function readHop(response: HttpResponse, url: string, now: number): Promise<Contact<Hop>> {
  const { status, headers } = response;
  const location = headers.get("location");
  if (redirectStatuses.includes(status) && location !== undefined) {
    const next = URL.canParse(location, url) ? new URL(location, url) : undefined;
    if (next === undefined || !/^https?:$/.test(next.protocol))
      return { kind: "failed", reason: "redirects to a URL that is not HTTP" };
    return { kind: "response", response: { redirect: next.href }, isFinal: false };
  }
  if (status === 429 || (status === 503 && headers.has("retry-after"))) {
    const demandedMs = retryAfterMs(status, headers.get("retry-after"), now);
    const reason = `rate limit exceeded (HTTP status ${status})`;
    return { kind: "overloaded", reason, retryAfterMs: demandedMs };
  }
  return { kind: "response", response: await readPage(response), isFinal: true };
}

async function readPage({ status, headers, body, cut }: HttpResponse): Promise<Hop> {
  const tooLong = { problem: `response is longer than ${bodyBytesMax / 1024} KiB` };
  if (cut) return tooLong;
  const decoded = await decodeBody({
    body,
    encoding: headers.get("content-encoding"),
    bytesMax: bodyBytesMax,
  });
  if ("error" in decoded) return { problem: decoded.error };
  if (decoded.cut) return tooLong;
  const text = new TextDecoder().decode(decoded.body);
  return { page: { status, contentType: headers.get("content-type") ?? "", text } };
}
