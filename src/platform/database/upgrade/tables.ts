import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../columns.ts";

/**
 * Versions of phishwatch that migrated this database, newest last. Later versions must not change the columns: an
 * executable that rejects a newer database reads them to name its version.
 */
export const databaseVersions = sqliteTable("database_versions", {
  seq: integer("seq").primaryKey({ autoIncrement: true }),
  version: text("version").notNull(),
  /** Number of migrations that were applied then. */
  migrations: integer("migrations").notNull(),
  migratedAt: instant("migrated_at").notNull(),
});
