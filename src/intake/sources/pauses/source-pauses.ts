import { and, eq } from "drizzle-orm";
import { describeActor, type Actor } from "../../../access/audit/actor.ts";
import type { Needs } from "../../../access/audit/needs.ts";
import type { Database } from "../../../platform/database/database.ts";
import { toPlainTime, type Clock, type Instant } from "../../../platform/lib/clock.ts";
import { sourcePauses } from "./tables.ts";

/** A pause of a source, until it is resumed. */
export interface Pause {
  at: Instant;
  by: Pick<Actor, "channel" | "name">;
}

/**
 * Pauses one source. A paused source reads nothing and keeps its position, also after a restart. Only the process that
 * reads the source may pause it.
 */
export interface SourcePausing {
  isPaused(): boolean;
  /** Returns the present pause. */
  current(): Pause | undefined;
  /**
   * Returns a signal that aborts at the next pause, or has aborted if the source is paused. A source passes it to
   * everything that reads names, and asks for a new one before it reads again.
   */
  signal(): AbortSignal;
  /** Calls `listener` after the source is resumed. There is one listener, the source itself. */
  onResume(listener: () => void): void;
  /** Returns false if the source is paused already. */
  pause(options: { by: Actor }): boolean;
  /** Returns false if the source is not paused. */
  resume(options: { by: Actor }): boolean;
}

/** The pauses of all sources. */
export type SourcePauses = ReturnType<typeof createSourcePauses>;

/** Returns a phrase such as `paused since 2026-01-15 12:00 UTC by console; resume it on the console's page Sources`. */
export function describePause({ at, by }: Pause): string {
  const who = describeActor({ ...by, address: null });
  return `paused since ${toPlainTime(at)} by ${who}, so it reads nothing; resume it on the console's page Sources`;
}

export function createSourcePauses({
  auditLog,
  database,
  clock,
}: Needs<"auditLog" | "database"> & { clock: Pick<Clock, "now"> }) {
  return {
    /** Call it once for each source. */
    of({ kind, name }: { kind: string; name: string }): SourcePausing {
      const store = createPauseStore(database, { kind, name });
      let listener = () => {};
      let pausing = new AbortController();
      let pause: Pause | undefined;
      let isLoaded = false;

      function load(): void {
        isLoaded = true;
        pause = store.find();
        if (pause === undefined && pausing.signal.aborted) pausing = new AbortController();
        else if (pause !== undefined) pausing.abort();
      }
      function current(): Pause | undefined {
        if (!isLoaded) load();
        return pause;
      }

      return {
        current,
        isPaused: () => current() !== undefined,
        signal() {
          current();
          return pausing.signal;
        },
        onResume: (given) => void (listener = given),
        pause: ({ by }) =>
          database.transaction(() => {
            if (store.find() !== undefined) return false;
            store.insert({ at: clock.now(), by });
            auditLog.record(by, "source.pause", name, { kind });
            database.afterCommit(load);
            return true;
          }),
        resume: ({ by }) =>
          database.transaction(() => {
            if (store.find() === undefined) return false;
            store.delete();
            auditLog.record(by, "source.resume", name, { kind });
            database.afterCommit(() => {
              load();
              listener();
            });
            return true;
          }),
      };
    },
  };
}

function createPauseStore({ query }: Database, { kind, name }: { kind: string; name: string }) {
  const isSource = and(eq(sourcePauses.kind, kind), eq(sourcePauses.name, name));
  return {
    find(): Pause | undefined {
      const row = query.select().from(sourcePauses).where(isSource).get();
      return row && { at: row.pausedAt, by: { channel: row.channel, name: row.actor } };
    },
    insert: ({ at, by }: Pause) =>
      void query
        .insert(sourcePauses)
        .values({ kind, name, pausedAt: at, channel: by.channel, actor: by.name })
        .run(),
    delete: () => void query.delete(sourcePauses).where(isSource).run(),
  };
}
