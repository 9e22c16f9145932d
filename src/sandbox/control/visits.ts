import { isIP } from "node:net";
import { system } from "../../access/audit/actor.ts";
import { badRequest, PublicError } from "../../lib/errors.ts";
import type { TokenKind } from "../../vocabulary/traps.ts";
import { enabledDomains, nameOf, protectedName } from "./lookalikes.ts";
import type { Instance } from "../instance/instance.ts";

const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";
const networksMax = 0xffff;

interface Visitor {
  referrer?: string;
  ip_address?: string;
  user_agent?: string;
}

/** Shows a page with a beacon in a browser. */
export async function hitBeacon(
  instance: Instance,
  body: Visitor & { beacon?: string; protected_domain?: string; hostname?: string; url?: string },
) {
  if (body.hostname !== undefined && body.url !== undefined)
    throw badRequest('Send "hostname" or "url", not both.');
  const { app } = instance;
  const { beacons } = app.traps;
  const protectedDomain =
    body.protected_domain === undefined ? enabledDomains(app)[0]! : protectedName(app, body.protected_domain);
  const name = body.beacon ?? protectedDomain;
  const beacon = existing(() => beacons.get(name)) ?? beacons.create({ protectedDomain, name }, system);
  const page = body.url ?? `https://${nameOf(body.hostname ?? "copied-pages.example")}/`;
  const said = new URLSearchParams({ u: page, r: body.referrer ?? "" });
  return visit(instance, beacon, `/b/${beacon.address}?${said}`, { ...body, referrer: undefined });
}

/** Follows the address of a honeytoken. */
export async function accessToken(instance: Instance, body: Visitor & { token?: string; kind?: TokenKind }) {
  const { tokens } = instance.app.traps;
  const kind = body.kind ?? "url";
  const name = body.token ?? `sandbox ${kind}`;
  const token = existing(() => tokens.get(name)) ?? tokens.create({ kind, name }, system);
  return visit(instance, token, `/t/${token.address}`, body);
}

/** Asks for an address as a visitor does, and answers what the record has of it. */
async function visit(
  { app }: Instance,
  trap: { id: string; name: string },
  path: string,
  visitor: { [Name in keyof Visitor]: Visitor[Name] | undefined },
) {
  const { traps } = app;
  const { referrer, user_agent: userAgent = browser, ip_address: address = nextAddress() } = visitor;
  if (isIP(address) === 0) throw badRequest('"ip_address" is not an IP address.');
  const newest = () => traps.hits.list(trap.id, { limit: 1 })[0];
  const before = newest()?.seq;
  const url = `${traps.publicUrl()}${path}`;
  const headers = { "user-agent": userAgent, ...(referrer === undefined ? {} : { referer: referrer }) };
  traps.front.answer(new Request(url, { headers: readable(headers) }), address);
  await traps.flush();
  const hit = newest();
  const isNew = hit !== undefined && hit.seq !== before;
  return {
    id: trap.id,
    name: trap.name,
    url,
    class: isNew ? hit.class : null,
    event_id: isNew ? hit.eventId : null,
    threat_id: isNew ? hit.threatId : null,
  };

  function nextAddress(): string {
    const { recorded, limited, dropped } = traps.totals();
    const number = 1 + ((recorded + limited + dropped) % networksMax);
    return `2001:db8:${number.toString(16)}::17`;
  }
}

/** @throws PublicError `bad_request` for what no header can hold */
function readable(headers: Record<string, string>): Headers {
  try {
    return new Headers(headers);
  } catch {
    throw badRequest('"user_agent" and "referrer" hold visible characters of Latin-1 alone.');
  }
}

function existing<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof PublicError && error.code === "not_found") return undefined;
    throw error;
  }
}
