import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../../platform/database/columns.ts";

/** Values of this installation that phishwatch sets itself, such as the console password's hash. */
export const settings = sqliteTable("settings", {
  name: text("name").primaryKey(),
  value: text("value").notNull(),
  updatedAt: instant("updated_at").notNull(),
});
