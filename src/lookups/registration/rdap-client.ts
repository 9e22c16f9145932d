import { decodeBody } from "../../network/http/content-encoding.ts";
import type { HttpClient } from "../../network/http/http-client.ts";
import type { HttpResponse } from "../../network/http/http-response.ts";
import type { Clock } from "../../lib/clock.ts";
import { readRdap } from "./rdap-record.ts";
import { bothAnswers, rawLengthMax, type RegistrationOutcome } from "./registration-outcome.ts";
import { completedBy } from "./registration-values.ts";
import type { ServerPacing } from "./server-pacing.ts";

export interface RdapClient {
  /** Asks the service at `baseUrl` about a registrable domain in A-label form. Never throws for what others did. */
  lookUp(domain: string, baseUrl: string): Promise<RegistrationOutcome>;
}

const bodyBytesMax = 512 * 1024;
const redirectsMax = 3;
const unprivilegedPort = 1_024;

type Fetched =
  | { kind: "response"; response: HttpResponse; text: string }
  | Extract<RegistrationOutcome, { kind: "limited" | "failed" }>;

/** RFC 7480, 9082, 9083. `client` refuses the addresses that must not be connected to, at every hop. */
export function createRdapClient({
  client,
  clock,
  pacing,
  userAgent,
  timeoutMs,
}: {
  client: HttpClient;
  clock: Clock;
  pacing: ServerPacing;
  userAgent: string;
  /** For one request. */
  timeoutMs: number;
}): RdapClient {
  async function get(firstUrl: string): Promise<Fetched> {
    let url = firstUrl;
    for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
      const { host: server, port } = new URL(url);
      // A registrar's link or redirect makes us talk to no mail server.
      if (port !== "" && Number(port) < unprivilegedPort)
        return { kind: "failed", reason: `${server}: not a port of the web` };
      const turn = await pacing.turn(server);
      if (!turn.granted)
        return {
          kind: "limited",
          reason: `${server} is left alone for now`,
          retryAfterMs: turn.retryAfterMs,
          postponed: true,
        };
      const result = await client.send({
        url,
        method: "GET",
        headers: { Accept: "application/rdap+json", "Accept-Encoding": "gzip", "User-Agent": userAgent },
        body: new Uint8Array(0),
        timeoutMs,
        bodyBytesMax,
      });
      if (!("response" in result)) return { kind: "failed", reason: `${server}: ${result.reason}` };
      const { response } = result;
      const location = response.headers.get("location");
      if ([301, 302, 303, 307, 308].includes(response.status) && location !== undefined) {
        const next = URL.canParse(location, url) ? new URL(location, url) : undefined;
        if (next === undefined || !/^https?:$/.test(next.protocol))
          return { kind: "failed", reason: `${server}: redirects to no web address` };
        url = next.href;
        continue;
      }
      if (response.status === 429 || (response.status === 503 && response.headers.has("retry-after"))) {
        const retryAfterMs = pacing.complained(
          server,
          retryAfter(response.headers.get("retry-after"), clock),
        );
        return {
          kind: "limited",
          reason: `${server}: asked too often (status ${response.status})`,
          retryAfterMs,
        };
      }
      pacing.answered(server);
      if (response.cut)
        return { kind: "failed", reason: `${server}: the answer is over ${bodyBytesMax / 1024} KiB` };
      const decoded = await decodeBody({
        body: response.body,
        encoding: response.headers.get("content-encoding"),
        bytesMax: bodyBytesMax,
      });
      if ("error" in decoded) return { kind: "failed", reason: `${server}: ${decoded.error}` };
      if (decoded.cut)
        return { kind: "failed", reason: `${server}: the answer is over ${bodyBytesMax / 1024} KiB` };
      return { kind: "response", response, text: new TextDecoder().decode(decoded.body) };
    }
    return { kind: "failed", reason: `over ${redirectsMax} redirects` };
  }

  /** A registry that holds only part of the record names the registrar's service: one hop, whose failure is none. */
  async function completed(
    found: Extract<RegistrationOutcome, { kind: "registered" }>,
    domain: string,
    related: string | undefined,
  ): Promise<RegistrationOutcome> {
    const { registration } = found;
    const complete =
      registration.registrant_organization !== undefined && registration.abuse_email !== undefined;
    if (related === undefined || complete) return found;
    const fetched = await get(related);
    if (fetched.kind !== "response" || fetched.response.status !== 200) return found;
    const reading = readRdap(fetched.text, domain);
    if (reading.kind !== "registered") return found;
    return {
      ...found,
      registration: completedBy(registration, reading.registration),
      raw: bothAnswers(found.raw, fetched.text),
    };
  }

  return {
    async lookUp(domain, baseUrl) {
      const fetched = await get(new URL(`domain/${domain}`, baseUrl).href);
      if (fetched.kind !== "response") return fetched;
      const { response, text } = fetched;
      const raw = text.slice(0, rawLengthMax);
      const reading = readRdap(text, domain);
      if (response.status === 404) {
        // RFC 7480 §5.3: the server does not know the name. A page of a gateway that is not one says nothing.
        const negative = text.trim() === "" || (reading.kind === "error" && reading.errorCode === 404);
        const typed = (response.headers.get("content-type") ?? "")
          .toLowerCase()
          .startsWith("application/rdap+json");
        if (negative || (typed && reading.kind !== "registered")) return { kind: "unregistered", raw };
      }
      if (response.status !== 200)
        return { kind: "failed", reason: `status ${response.status} from ${new URL(baseUrl).host}` };
      if (reading.kind === "error")
        return { kind: "failed", reason: `error ${reading.errorCode ?? ""} ${reading.title ?? ""}`.trim() };
      if (reading.kind === "unreadable")
        return { kind: "failed", reason: `${new URL(baseUrl).host}: ${reading.reason}` };
      return completed(
        { kind: "registered", registration: reading.registration, raw },
        domain,
        reading.related,
      );
    },
  };
}

/** RFC 9110 §10.2.3: seconds or a date. */
function retryAfter(value: string | undefined, clock: Clock): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - clock.now());
}
