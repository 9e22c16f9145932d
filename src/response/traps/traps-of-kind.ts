import type { Actor } from "../../access/audit/actor.ts";
import type { Needs } from "../../access/audit/needs.ts";
import type { ProtectedDomains } from "../../threats/domains/domains.ts";
import type { Clock } from "../../platform/lib/clock.ts";
import { badRequest, notFound } from "../../platform/lib/errors.ts";
import type { IdFactory } from "../../platform/lib/ids.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { rotates, trapAuditAction, trapIdPrefix } from "../../platform/vocabulary/traps.ts";
import { createAddress } from "./addresses.ts";
import type { TrapKind } from "./kind.ts";
import { freeName, readMemo, readName } from "./names.ts";
import type { TrapStore } from "./trap-store.ts";
import type { NewTrap, PreparedTrap, Trap } from "./trap.ts";
import type { VisitStore } from "./visits/store.ts";

/**
 * The traps of one kind. Every change records in the audit log who made it, in its own transaction. Methods that take
 * an identifier or a name throw a PublicError `not_found` if no trap of the kind has it.
 */
export type TrapsOfKind<Input extends NewTrap = NewTrap, Details = unknown> = ReturnType<
  typeof createTrapsOfKind<Input, Details>
>;

interface By {
  by: Actor;
}

export interface TrapDependencies extends Needs<"auditLog" | "database" | "fillRandom"> {
  clock: Pick<Clock, "now">;
  domains: Pick<ProtectedDomains, "find">;
  ids: Pick<IdFactory, "nextWithPrefix">;
  store: TrapStore;
  visits: Pick<VisitStore, "deleteOfTrap">;
}

export function createTrapsOfKind<Input extends NewTrap, Details>(
  kind: TrapKind<Input, Details>,
  { auditLog, clock, database, domains, fillRandom, ids, store, visits }: TrapDependencies,
) {
  // Details are written by `prepare` of this kind alone.
  const find = (idOrName: string) => store.findOfKind(kind.name, idOrName) as Trap<Details> | undefined;

  function get(idOrName: string): Trap<Details> {
    const trap = find(idOrName);
    if (trap === undefined) throw notFound(`There is no ${kind.name} ${visible(idOrName, 100)}.`);
    return trap;
  }

  function readDomain(text: string) {
    const domain = domains.find(text);
    if (domain?.enabled === true) return domain;
    throw badRequest(`${visible(text, 100)} is not a protected domain.`);
  }

  function chooseName(name: string | undefined, defaultName: string): string {
    const taken = store.list(kind.name).map((trap) => trap.name);
    if (name === undefined) return freeName(defaultName, taken);
    const chosen = readName(name);
    if (taken.includes(chosen)) throw badRequest(`There is already a ${kind.name} ${chosen}.`);
    return chosen;
  }

  function insert({ name, memo = "" }: NewTrap, prepared: PreparedTrap<Details>) {
    const { defaultName, details, expiresAt = null, protectedDomain } = prepared;
    const domain = protectedDomain === undefined ? null : readDomain(protectedDomain);
    if (expiresAt !== null && expiresAt <= clock.now())
      throw badRequest("The expiry time must be in the future.");
    const id = ids.nextWithPrefix(trapIdPrefix(kind.name));
    store.insert(
      {
        id,
        kind: kind.name,
        name: chooseName(name, defaultName ?? domain?.domain ?? kind.name),
        protectedDomainSeq: domain?.seq ?? null,
        details,
        memo: readMemo(memo),
        enabled: true,
        expiresAt,
        createdAt: clock.now(),
      },
      createAddress(fillRandom),
    );
    return get(id);
  }

  const record = (by: Actor, change: Parameters<typeof trapAuditAction>[1], trap: Trap, more = {}) =>
    auditLog.record(by, trapAuditAction(kind.name, change), trap.name, { id: trap.id, ...more });

  return {
    /** @throws PublicError `bad_request`: the input is invalid, or the name is taken */
    create: (input: Input, { by }: By) =>
      database.transaction(() => {
        const trap = insert(input, kind.prepare(input));
        record(by, "create", trap, kind.auditDetail(trap));
        return trap;
      }),
    /** Oldest first. */
    list: () => store.list(kind.name) as Trap<Details>[],
    get,
    find,
    setEnabled: (idOrName: string, enabled: boolean, { by }: By) =>
      database.transaction(() => {
        const trap = get(idOrName);
        if (trap.enabled !== enabled) {
          store.setEnabled(trap.seq, enabled);
          record(by, enabled ? "enable" : "disable", trap);
        }
        return get(trap.id);
      }),
    /**
     * Gives a trap a new address.
     * @param options.watchOld whether the replaced addresses keep counting visits
     * @throws PublicError `bad_request`: traps of this kind keep their address
     */
    rotate: (idOrName: string, { watchOld, by }: By & { watchOld: boolean }) =>
      database.transaction(() => {
        const trap = get(idOrName);
        if (!rotates(kind.name)) throw badRequest(`A ${kind.name} keeps its address.`);
        store.replaceAddress(trap, createAddress(fillRandom), { watchOld, now: clock.now() });
        record(by, "rotate", trap, { old_address_watched: watchOld });
        return get(trap.id);
      }),
    /** Deletes a trap and its visits. */
    delete: (idOrName: string, { by }: By) =>
      database.transaction(() => {
        const trap = get(idOrName);
        store.delete(trap.seq);
        visits.deleteOfTrap(trap.id);
        record(by, "remove", trap);
        return trap;
      }),
  };
}
