import { badRequest } from "../api/errors.ts";
import { normalizeName } from "../detection/name.ts";
import { toIsoTime } from "../lib/clock.ts";
import { PublicError } from "../lib/errors.ts";
import { visible } from "../lib/safe-text.ts";
import type { Scan } from "../scans/tables.ts";
import type { Sighting } from "../threats/record.ts";
import { threats } from "../threats/tables.ts";
import type { ThreatType } from "../threats/values.ts";
import type { Instance, SandboxAppliance } from "./instance.ts";

interface Wanted {
  protected_domain?: string;
  type?: ThreatType;
  similarity?: number;
}

/** Names that are on record of no protected domain yet, the same ones in the same state. */
export function newNames(
  app: SandboxAppliance,
  count: number,
  { protected_domain: wanted }: Wanted,
): string[] {
  const of = wanted === undefined ? enabledDomains(app)[0]! : protectedName(app, wanted);
  const dot = of.indexOf(".");
  const known = new Set(namesOnRecord(app).map(({ domain }) => domain));
  const names: string[] = [];
  for (let number = 1; names.length < count; number += 1) {
    const name = `${of.slice(0, dot)}-login${number}${of.slice(dot)}`;
    if (!known.has(name)) names.push(name);
  }
  return names;
}

export function matchOf(app: SandboxAppliance, domain: string, wanted: Wanted): Sighting["match"] {
  const protectedDomain =
    wanted.protected_domain === undefined ? undefined : protectedName(app, wanted.protected_domain);
  const { type, similarity } = wanted;
  if (type !== undefined && similarity !== undefined)
    return { protectedDomain: protectedDomain ?? enabledDomains(app)[0]!, type, similarity, reasons: [] };
  const match = app.domains
    .matcher()
    .match(domain)
    .find((one) => protectedDomain === undefined || one.protectedDomain === protectedDomain);
  if (match !== undefined)
    return { ...match, type: type ?? match.type, similarity: similarity ?? match.similarity };
  throw badRequest(
    `${visible(domain, 100)} imitates ${protectedDomain ?? "no protected domain"} too little to be a threat; send "type" and "similarity" as well.`,
  );
}

export async function runScan(
  { app, dns }: Instance,
  body: { protected_domains?: string[]; trigger?: Scan["trigger"]; finds?: number; fails?: boolean },
): Promise<Scan> {
  const known = new Set<string>();
  const gone = new Set<string>();
  for (const { domain, status } of namesOnRecord(app)) (status === "active" ? known : gone).add(domain);
  dns.set({ known, gone, finds: body.finds ?? 3, reachable: body.fails !== true });
  try {
    return await app.scans.run({
      trigger: body.trigger ?? "cli",
      ...(body.protected_domains === undefined ? {} : { domains: body.protected_domains }),
    });
  } finally {
    dns.set({ known, gone, finds: 0, reachable: true });
  }
}

export function describeScan(scan: Scan) {
  return {
    id: scan.id,
    protected_domains: scan.protectedDomains,
    trigger: scan.trigger,
    status: scan.status,
    started_at: toIsoTime(scan.startedAt),
    completed_at: toIsoTime(scan.completedAt ?? scan.startedAt),
    candidates: scan.candidates,
    resolving: scan.resolving,
    threats_found: scan.threatsFound,
    threats_created: scan.threatsCreated,
    ...(scan.error === null ? {} : { error: scan.error }),
  };
}

const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";

function visitor(
  { clock }: Instance,
  { referrer, ip_address, user_agent }: { referrer?: string; ip_address?: string; user_agent?: string },
) {
  return {
    ip_address: ip_address ?? "198.51.100.23",
    user_agent: user_agent ?? browser,
    referrer: referrer ?? null,
    at: toIsoTime(clock.now()),
  };
}

export function hitBeacon(
  instance: Instance,
  body: { name?: string; protected_domain?: string; hostname?: string; url?: string } & Parameters<
    typeof visitor
  >[1],
) {
  const { app } = instance;
  const protectedDomain =
    body.protected_domain === undefined ? enabledDomains(app)[0]! : protectedName(app, body.protected_domain);
  const hostname = body.hostname === undefined ? "copied-pages.example" : nameOf(body.hostname);
  const threat = namesOnRecord(app).find(({ domain }) => domain === hostname);
  const data = {
    beacon: {
      id: instance.idOf("beacon", body.name ?? "sign-in page"),
      name: body.name ?? "sign-in page",
      protected_domain: protectedDomain,
    },
    hit: { hostname, url: body.url ?? `https://${hostname}/`, ...visitor(instance, body) },
    threat: threat === undefined ? null : { id: threat.id },
  };
  return { event_id: app.database.transaction(() => app.outbox.record("beacon.triggered", data)) };
}

export function accessToken(
  instance: Instance,
  body: { name?: string; kind?: string } & Parameters<typeof visitor>[1],
) {
  const { app } = instance;
  const name = body.name ?? "payroll.docx";
  const data = {
    token: { id: instance.idOf("honeytoken", name), name, kind: body.kind ?? "document" },
    access: visitor(instance, body),
  };
  return { event_id: app.database.transaction(() => app.outbox.record("token.accessed", data)) };
}

/** @throws PublicError `bad_request` */
export function nameOf(given: string): string {
  const result = normalizeName(given);
  if ("name" in result) return result.name;
  throw badRequest(`"${visible(given, 100)}" is not a domain name: ${result.error}.`);
}

function enabledDomains(app: SandboxAppliance): string[] {
  const names = app.domains.list().flatMap(({ domain, enabled }) => (enabled ? [domain] : []));
  if (names.length === 0) throw badRequest("There is no protected domain.");
  return names;
}

function protectedName(app: SandboxAppliance, given: string): string {
  const found = app.domains.find(given);
  if (found?.enabled === true) return found.domain;
  throw new PublicError(
    "not_found",
    `${visible(given, 100)} is not a protected domain; there are ${enabledDomains(app).slice(0, 10).join(", ")}.`,
  );
}

function namesOnRecord({ database }: SandboxAppliance) {
  return database.query
    .select({ id: threats.id, domain: threats.domain, status: threats.status })
    .from(threats)
    .all();
}
