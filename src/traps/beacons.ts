import { asc, eq, or, sql } from "drizzle-orm";
import type { Actor } from "../access/audit/actor.ts";
import type { AuditLog } from "../access/audit/audit-log.ts";
import type { Database } from "../database/database.ts";
import type { ProtectedDomains } from "../domains/domains.ts";
import { protectedDomains } from "../domains/tables.ts";
import type { Clock, Instant } from "../lib/clock.ts";
import { badRequest, notFound } from "../lib/errors.ts";
import type { FillRandom, IdFactory } from "../lib/ids.ts";
import { lazy } from "../lib/startup.ts";
import { visible } from "../lib/safe-text.ts";
import { makeAddress } from "./addresses.ts";
import type { HitStore } from "./hits.ts";
import { freeName, readHosts, readMemo, readName } from "./names.ts";
import { beaconSnippets, type BeaconSnippets } from "./snippets.ts";
import { beacons } from "./tables.ts";

export interface Beacon {
  seq: number;
  id: string;
  name: string;
  protectedDomain: string;
  address: string;
  /** Further names on which the page may be shown, as given with the beacon. */
  allow: string[];
  /** All names on which it may be shown, with all below them: the protected domain first. */
  own: string[];
  memo: string;
  enabled: boolean;
  createdAt: Instant;
}

export interface NewBeacon {
  /** In any form. */
  protectedDomain: string;
  /** Default: the domain's name, with a number where that is taken. */
  name?: string;
  allow?: readonly string[];
  memo?: string;
}

/** What is put into pages to learn of copies of them. */
export interface Beacons {
  /** @throws PublicError `bad_request`: no protected domain, the name is taken, `allow` holds what is no name. */
  create(wanted: NewBeacon, by: Actor): Beacon;
  /** Oldest first. */
  list(): Beacon[];
  /** By identifier or name. @throws PublicError `not_found` */
  get(idOrName: string): Beacon;
  find(id: string): Beacon | undefined;
  setEnabled(idOrName: string, enabled: boolean, by: Actor): Beacon;
  /** With its hits. */
  remove(idOrName: string, by: Actor): Beacon;
  /** The identifier of the enabled beacon behind an address. */
  byAddress(address: string): string | undefined;
  /** What to put into the page. @param publicUrl how visitors reach this server; without trailing slash. */
  snippets(beacon: Beacon, publicUrl: string): BeaconSnippets;
}

export function createBeacons({
  database,
  clock,
  ids,
  fillRandom,
  domains,
  hits,
  auditLog,
}: {
  database: Database;
  clock: Clock;
  ids: IdFactory;
  fillRandom: FillRandom;
  domains: Pick<ProtectedDomains, "find">;
  hits: Pick<HitStore, "removeOf">;
  auditLog: Pick<AuditLog, "record">;
}): Beacons {
  const { query, sqlite } = database;
  const select = () =>
    query
      .select({ beacon: beacons, domain: protectedDomains.domain, domainAllow: protectedDomains.allow })
      .from(beacons)
      .innerJoin(protectedDomains, eq(beacons.protectedDomainSeq, protectedDomains.seq));
  const all = lazy(() => select().orderBy(asc(beacons.seq)).prepare());
  const one = lazy(() =>
    select()
      .where(or(eq(beacons.id, sql.placeholder("key")), eq(beacons.name, sql.placeholder("key"))))
      .prepare(),
  );
  // Asked for at every visit, also with addresses that somebody guesses.
  const live = lazy(() =>
    sqlite.prepare<{ id: string }, [string]>("select id from beacons where address = ? and enabled = 1"),
  );

  function toBeacon(row: ReturnType<ReturnType<typeof select>["all"]>[number]): Beacon {
    const { protectedDomainSeq: _, ...rest } = row.beacon;
    const own = [...new Set([row.domain, ...row.domainAllow, ...rest.allow])];
    return { ...rest, protectedDomain: row.domain, own };
  }

  function find(key: string): Beacon | undefined {
    const row = one().get({ key });
    return row === undefined ? undefined : toBeacon(row);
  }

  function get(idOrName: string): Beacon {
    const beacon = find(idOrName);
    if (beacon !== undefined) return beacon;
    throw notFound(`There is no beacon ${visible(idOrName, 100)}.`);
  }

  return {
    create: ({ protectedDomain, name, allow = [], memo = "" }, by) =>
      database.transaction(() => {
        const domain = domains.find(protectedDomain);
        if (domain === undefined || !domain.enabled)
          throw badRequest(`${visible(protectedDomain, 100)} is not a protected domain.`);
        const names = all()
          .all()
          .map(({ beacon }) => beacon.name);
        const chosen = name === undefined ? freeName(domain.domain, names) : readName(name);
        if (names.includes(chosen)) throw badRequest(`There is a beacon ${chosen} already.`);
        const id = ids.next("beacon");
        query
          .insert(beacons)
          .values({
            id,
            protectedDomainSeq: domain.seq,
            name: chosen,
            address: makeAddress(fillRandom),
            allow: readHosts(allow),
            memo: readMemo(memo),
            enabled: true,
            createdAt: clock.now(),
          })
          .run();
        auditLog.record(by, "beacon.create", chosen, { id, protected_domain: domain.domain });
        return get(id);
      }),
    list: () => all().all().map(toBeacon),
    get,
    find,
    setEnabled: (idOrName, enabled, by) =>
      database.transaction(() => {
        const { seq, id, name, enabled: before } = get(idOrName);
        query.update(beacons).set({ enabled }).where(eq(beacons.seq, seq)).run();
        if (enabled !== before)
          auditLog.record(by, enabled ? "beacon.enable" : "beacon.disable", name, { id });
        return get(id);
      }),
    remove: (idOrName, by) =>
      database.transaction(() => {
        const beacon = get(idOrName);
        query.delete(beacons).where(eq(beacons.seq, beacon.seq)).run();
        hits.removeOf(beacon.id);
        auditLog.record(by, "beacon.remove", beacon.name, { id: beacon.id });
        return beacon;
      }),
    byAddress: (address) => live().get(address)?.id,
    snippets: (beacon, publicUrl) => beaconSnippets(`${publicUrl}/b/${beacon.address}`, beacon.own),
  };
}
