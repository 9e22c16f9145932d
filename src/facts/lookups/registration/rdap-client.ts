import type { Turns } from "../../../platform/network/turns.ts";
import type { GetRdap } from "../registries/rdap-requests.ts";
import { readRdap } from "./rdap-record.ts";
import { joinResponses, rawLengthMax, type RegistrationOutcome } from "./registration-outcome.ts";
import { completedBy } from "./registration-values.ts";

export interface RdapClient {
  /** Queries the service at `baseUrl` for a registrable domain in A-label form. Never throws for what others do. */
  lookUp(domain: string, baseUrl: string): Promise<RegistrationOutcome>;
}

/** Queries RDAP services for domains (RFC 9082, 9083). */
export function createRdapClient({ get, turns }: { get: GetRdap; turns: Turns }): RdapClient {
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
