import { bothAnswers, rawLengthMax, type RegistrationOutcome } from "./registration-outcome.ts";
import { completedBy } from "./registration-values.ts";
import type { ServerPacing } from "./server-pacing.ts";
import type { AskWhois } from "./whois-client.ts";
import { readReferral, readWhois } from "./whois-record.ts";
import { type WhoisServerFor, whoisQuery } from "./whois-servers.ts";

export interface WhoisLookup {
  /** Asks the registry of a registrable domain in A-label form, then the registrar that it names. */
  lookUp(domain: string): Promise<RegistrationOutcome>;
}

const learntMax = 2_000;

/** @param ianaServer knows the server of every top-level domain: for those that `serverFor` does not know */
export function createWhoisLookup({
  ask,
  serverFor,
  pacing,
  ianaServer,
}: {
  ask: AskWhois;
  serverFor: WhoisServerFor;
  pacing: ServerPacing;
  ianaServer: string;
}): WhoisLookup {
  const learnt = new Map<string, string>();

  async function question(server: string, query: string): Promise<{ text: string } | RegistrationOutcome> {
    const turn = await pacing.turn(server);
    if (!turn.granted)
      return {
        kind: "limited",
        reason: `${server} is left alone for now`,
        retryAfterMs: turn.retryAfterMs,
        postponed: true,
      };
    const answer = await ask(server, query);
    return "failure" in answer ? { kind: "failed", reason: `${server}: ${answer.failure}` } : answer;
  }

  async function lookUpAt(
    server: string,
    domain: string,
  ): Promise<RegistrationOutcome & { referral?: string | undefined }> {
    const answer = await question(server, whoisQuery(server, domain));
    if (!("text" in answer)) return answer;
    const reading = readWhois(answer.text, domain);
    if (reading.kind === "limited") {
      const retryAfterMs = pacing.complained(server, reading.retryAfterMs);
      return { kind: "limited", reason: `${server}: asked too often`, retryAfterMs };
    }
    pacing.answered(server);
    if (reading.kind === "unclear") return { kind: "failed", reason: `${server}: ${reading.reason}` };
    return { ...reading, raw: answer.text.slice(0, rawLengthMax) };
  }

  async function serverOf(domain: string): Promise<{ server: string } | RegistrationOutcome> {
    const known = serverFor(domain);
    if (known !== undefined) return { server: known };
    const suffix = domain.slice(domain.lastIndexOf(".") + 1);
    const remembered = learnt.get(suffix);
    if (remembered !== undefined) return { server: remembered };
    const answer = await question(ianaServer, `${suffix}\r\n`);
    if (!("text" in answer)) return answer;
    const server = readReferral(answer.text);
    if (server === undefined) return { kind: "failed", reason: `no WHOIS server is known for .${suffix}` };
    if (learnt.size >= learntMax) learnt.clear();
    learnt.set(suffix, server);
    return { server };
  }

  return {
    async lookUp(domain) {
      const found = await serverOf(domain);
      if (!("server" in found)) return found;
      const outcome = await lookUpAt(found.server, domain);
      if (outcome.kind !== "registered") return outcome;
      const { referral, registration, raw } = outcome;
      const complete =
        registration.registrant_organization !== undefined && registration.abuse_email !== undefined;
      if (referral === undefined || referral === found.server || complete)
        return { kind: "registered", registration, raw };
      // One hop; what the registrar does not say is simply not known.
      const further = await lookUpAt(referral, domain);
      if (further.kind !== "registered") return { kind: "registered", registration, raw };
      return {
        kind: "registered",
        registration: completedBy(registration, further.registration),
        raw: bothAnswers(raw, further.raw),
      };
    },
  };
}
