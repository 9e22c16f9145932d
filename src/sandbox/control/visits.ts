import { isIP } from "node:net";
import { system } from "../../access/audit/actor.ts";
import { badRequest } from "../../platform/lib/errors.ts";
import { beacon as beaconKind } from "../../response/traps/kinds/beacon/beacon.ts";
import { honeytoken as honeytokenKind } from "../../response/traps/kinds/honeytoken/honeytoken.ts";
import type { HoneytokenKind } from "../../platform/vocabulary/traps.ts";
import type { Instance } from "../instance/instance.ts";
import { enabledDomains, nameOf, protectedName } from "./lookalikes.ts";

const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";
const networksMax = 0xffff;

interface Visitor {
  referrer?: string;
  ip_address?: string;
  user_agent?: string;
}

/** Opens a page that carries a beacon. */
export async function visitBeacon(
  instance: Instance,
  body: Visitor & { beacon?: string; protected_domain?: string; hostname?: string; url?: string },
) {
  if (body.hostname !== undefined && body.url !== undefined)
    throw badRequest('Send "hostname" or "url", not both.');
  const { app } = instance;
  const beacons = app.traps.of(beaconKind);
  const protectedDomain =
    body.protected_domain === undefined ? enabledDomains(app)[0]! : protectedName(app, body.protected_domain);
  const name = body.beacon ?? protectedDomain;
  const beacon = beacons.find(name) ?? beacons.create({ protectedDomain, name }, { by: system });
  const page = body.url ?? `https://${nameOf(body.hostname ?? "copied-pages.example")}/`;
  const query = new URLSearchParams({ u: page, r: body.referrer ?? "" });
  return visit(instance, beacon, `/b/${beacon.address}?${query}`, { ...body, referrer: undefined });
}

/** Opens the address of a honeytoken. */
export async function visitHoneytoken(
  instance: Instance,
  body: Visitor & { token?: string; kind?: HoneytokenKind },
) {
  const honeytokens = instance.app.traps.of(honeytokenKind);
  const kind = body.kind ?? "url";
  const name = body.token ?? `sandbox ${kind}`;
  const token = honeytokens.find(name) ?? honeytokens.create({ kind, name }, { by: system });
  return visit(instance, token, `/t/${token.address}`, body);
}

/** Requests an address like a visitor, and returns what was recorded. */
async function visit(
  { app }: Instance,
  trap: { id: string; name: string },
  path: string,
  visitor: { [Name in keyof Visitor]: Visitor[Name] | undefined },
) {
  const { traps } = app;
  const { referrer, user_agent: userAgent = browser, ip_address: address = nextAddress() } = visitor;
  if (isIP(address) === 0) throw badRequest('"ip_address" is not an IP address.');
  const newest = () => traps.visits.list(trap.id, { limit: 1 })[0];
  const before = newest()?.seq;
  const url = `${traps.publicUrl()}${path}`;
  const headers = { "user-agent": userAgent, ...(referrer === undefined ? {} : { referer: referrer }) };
  traps.respond(new Request(url, { headers: validHeaders(headers) }), address);
  await traps.flush();
  const recorded = newest();
  const isNew = recorded !== undefined && recorded.seq !== before;
  return {
    id: trap.id,
    name: trap.name,
    url,
    class: isNew ? recorded.class : null,
    event_id: isNew ? recorded.eventId : null,
    threat_id: isNew ? recorded.threatId : null,
  };

  /** Returns an address in a network of its own, so that each call is another visitor. */
  function nextAddress(): string {
    const totals = traps.totals();
    const number = 1 + ((totals.recorded + totals.limited + totals.dropped) % networksMax);
    return `2001:db8:${number.toString(16)}::17`;
  }
}

/** @throws PublicError `bad_request` for values that a header cannot contain */
function validHeaders(headers: Record<string, string>): Headers {
  try {
    return new Headers(headers);
  } catch {
    throw badRequest('"user_agent" and "referrer" must contain only visible Latin-1 characters.');
  }
}
