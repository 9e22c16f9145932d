import { rawSettings } from "../../../access/settings/raw-settings.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { Clock } from "../../../platform/lib/clock.ts";

const settingName = "campaigns_position";
/** A position that changes again at once need not be stored. */
const quietMs = 10_000;

/** State of the threats and of everything else that the campaigns depend on. */
export interface Position {
  /** Last change of the log. */
  version: number;
  /** Last threat. */
  lastSeq: number;
  /** Marks of the protected domains' own sites. */
  originalText: string;
}

/**
 * Stores for which state of the threats the stored campaigns are complete, so that a start after which nothing has changed
 * need not group them.
 */
export function createStoredPosition({
  clock,
  database: { isShared, sqlite, write },
  program,
}: {
  clock: Pick<Clock, "now" | "monotonicMs">;
  database: Pick<Database, "isShared" | "sqlite" | "write">;
  /** Version of the code and the lists that compute the campaigns, and of its limits. */
  program: string;
}) {
  const settings = () => rawSettings(sqlite, clock.now());
  const textOf = ({ version, lastSeq, originalText }: Position) =>
    `${version} ${lastSeq} ${Bun.hash(`${program} ${originalText}`).toString(36)}`;
  /** The latest position, and the monotonic time at which it was first seen. */
  let latest = { text: "", sinceMs: 0, isStored: false };

  return {
    /** Returns whether the campaigns of this state are stored. */
    isAt: (position: Position) => settings().get(settingName) === textOf(position),
    /** Records that they are, once it is called again with the same position some seconds later. */
    async set(position: Position): Promise<void> {
      const text = textOf(position);
      if (text !== latest.text) latest = { text, sinceMs: clock.monotonicMs(), isStored: false };
      // A database in memory ends with its process.
      if (!isShared || latest.isStored || clock.monotonicMs() - latest.sinceMs < quietMs) return;
      await write(() => settings().set(settingName, text), { relaxed: true, patient: true });
      latest.isStored = true;
    },
  };
}
