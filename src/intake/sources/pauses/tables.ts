import { primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { actorChannels } from "../../../access/audit/actor.ts";
import { instant } from "../../../platform/database/columns.ts";

/** Sources that a person has paused. */
export const sourcePauses = sqliteTable(
  "source_pauses",
  {
    kind: text("kind").notNull(),
    name: text("name").notNull(),
    pausedAt: instant("paused_at").notNull(),
    /** Who paused it. */
    channel: text("channel", { enum: actorChannels }).notNull(),
    actor: text("actor"),
  },
  (table) => [primaryKey({ columns: [table.kind, table.name] })],
);
