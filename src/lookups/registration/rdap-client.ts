import type { Clock } from "../../lib/clock.ts";
import { decodeBody } from "../../network/http/content-encoding.ts";
import type { HttpClient } from "../../network/http/http-client.ts";
import type { HttpResponse } from "../../network/http/http-response.ts";
import type { Turns } from "../../network/turns.ts";
import { readRdap } from "./rdap-record.ts";
import {
  joinResponses,
  rawLengthMax,
  type LookupFailure,
  type RegistrationOutcome,
} from "./registration-outcome.ts";
import { completedBy } from "./registration-values.ts";
import type { Contact, ServerPacing } from "./server-pacing.ts";

export interface RdapClient {
  /** Queries the service at `baseUrl` for a registrable domain in A-label form. Never throws for what others do. */
  lookUp(domain: string, baseUrl: string): Promise<RegistrationOutcome>;
}

/** Several times the longest response of a registrar. Takes a few milliseconds to parse, whatever it contains. */
const bodyBytesMax = 128 * 1024;
const redirectsMax = 3;
const redirectStatuses = [301, 302, 303, 307, 308];
/** Ports below this are rejected, so that no link or redirect makes us contact a mail server. */
const unprivilegedPort = 1_024;

interface Page {
  status: number;
  contentType: string;
  text: string;
}

/** One response: a page, the URL that it redirects to, or why its body cannot be read. */
type Hop = { page: Page } | { redirect: string } | { problem: string };

/**
 * Queries RDAP services (RFC 7480, 9082, 9083).
 *
 * @param client rejects addresses that must not be contacted, at every hop.
 * @param timeoutMs limit for one request.
 */
export function createRdapClient({
  client,
  clock,
  pacing,
  turns,
  userAgent,
  timeoutMs,
}: {
  client: HttpClient;
  clock: Clock;
  pacing: ServerPacing;
  turns: Turns;
  userAgent: string;
  timeoutMs: number;
}): RdapClient {
  async function request(url: string): Promise<Contact<Hop>> {
    const result = await client.send({
      url,
      method: "GET",
      headers: { Accept: "application/rdap+json", "Accept-Encoding": "gzip", "User-Agent": userAgent },
      body: new Uint8Array(0),
      timeoutMs,
      bodyBytesMax,
    });
    return "response" in result
      ? readHop(result.response, url, clock.now())
      : { kind: "failed", reason: result.reason };
  }

  /** Fetches a URL and follows its redirects. */
  async function get(firstUrl: string): Promise<Page | LookupFailure> {
    let url = firstUrl;
    for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
      const { host: server, port } = new URL(url);
      if (port !== "" && Number(port) < unprivilegedPort)
        return { kind: "failed", reason: `${server}: not a web port` };
      const target = url;
      const result = await pacing.query(server, () => request(target));
      if (result.kind !== "response") return result;
      const hop = result.response;
      if ("page" in hop) return hop.page;
      if ("problem" in hop) return { kind: "failed", reason: `${server}: ${hop.problem}` };
      url = hop.redirect;
    }
    return { kind: "failed", reason: `more than ${redirectsMax} redirects` };
  }

  /** Completes the record of a registry that refers to the registrar's service. A failure there does no harm. */
  async function complete(
    found: Extract<RegistrationOutcome, { kind: "registered" }>,
    domain: string,
    related: string | undefined,
  ): Promise<RegistrationOutcome> {
    const { registration } = found;
    const isComplete =
      registration.registrant_organization !== undefined && registration.abuse_email !== undefined;
    if (related === undefined || isComplete) return found;
    const page = await get(related);
    if ("kind" in page || page.status !== 200) return found;
    await turns.next();
    const reading = readRdap(page.text, domain);
    if (reading.kind !== "registered") return found;
    return {
      ...found,
      registration: completedBy(registration, reading.registration),
      raw: joinResponses(found.raw, page.text),
    };
  }

  return {
    async lookUp(domain, baseUrl) {
      const page = await get(new URL(`domain/${domain}`, baseUrl).href);
      if ("kind" in page) return page;
      const { status, text } = page;
      const raw = text.slice(0, rawLengthMax);
      await turns.next();
      const reading = readRdap(text, domain);
      if (status === 404) {
        // RFC 7480 §5.3: the server does not know the name. An error page of a gateway proves nothing.
        const negative = text.trim() === "" || (reading.kind === "error" && reading.errorCode === 404);
        const isRdap = page.contentType.toLowerCase().startsWith("application/rdap+json");
        if (negative || (isRdap && reading.kind !== "registered")) return { kind: "unregistered", raw };
      }
      const server = new URL(baseUrl).host;
      if (status !== 200) return { kind: "failed", reason: `${server}: HTTP status ${status}` };
      if (reading.kind === "error") {
        const { errorCode = "", title = "" } = reading;
        return { kind: "failed", reason: `${server}: RDAP error ${errorCode} ${title}`.trim() };
      }
      if (reading.kind === "unreadable") return { kind: "failed", reason: `${server}: ${reading.reason}` };
      const { registration, related } = reading;
      return complete({ kind: "registered", registration, raw }, domain, related);
    },
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
    const retryAfterMs = retryAfter(headers.get("retry-after"), now);
    return { kind: "overloaded", reason: `rate limit exceeded (HTTP status ${status})`, retryAfterMs };
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

/** Parses Retry-After (RFC 9110 §10.2.3): seconds or a date. */
function retryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
