import { blob, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "../../platform/database/columns.ts";
import { roles } from "../../platform/vocabulary/permissions.ts";

/** Who creates accounts: people here, or the first request with a name that a trusted proxy has authenticated. */
const accountOrigins = ["local", "proxy"] as const;

/** People who use the console. The migration adds the administrator of the first start. */
export const accounts = sqliteTable("accounts", {
  seq: integer("seq").primaryKey({ autoIncrement: true }),
  /** In lowercase. It never changes. */
  name: text("name").notNull().unique(),
  role: text("role", { enum: roles }).notNull(),
  /** argon2id; null: the account has no password of its own. */
  passwordHash: text("password_hash"),
  /** Null: enabled. */
  disabledAt: instant("disabled_at"),
  createdAt: instant("created_at").notNull(),
  origin: text("origin", { enum: accountOrigins }).notNull().default("local"),
  /** Null: never. */
  lastSignInAt: instant("last_sign_in_at"),
  /** Secret of the one-time codes in base32, which computing a code needs; null: signing in takes no code. */
  codeSecret: text("code_secret"),
  /** Secret of an enrollment that no code has confirmed yet. */
  newCodeSecret: text("new_code_secret"),
  /** Step of the code that was accepted last: an older one, or the same again, is rejected. */
  codeStep: integer("code_step"),
});

/** Unused recovery codes. A used one is deleted. */
export const accountRecoveryCodes = sqliteTable(
  "account_recovery_codes",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    accountSeq: integer("account_seq")
      .notNull()
      .references(() => accounts.seq, { onDelete: "cascade" }),
    /** SHA-256. The codes have 80 bits, so it cannot be reversed. */
    hash: blob("hash", { mode: "buffer" }).notNull().unique(),
  },
  (table) => [index("account_recovery_codes_account").on(table.accountSeq)],
);

/** Links to choose a password with: invitations, and those that replace a lost password. */
export const accountLinks = sqliteTable(
  "account_links",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    accountSeq: integer("account_seq")
      .notNull()
      .references(() => accounts.seq, { onDelete: "cascade" }),
    /** SHA-256 of the token in the link. The token itself is never stored. */
    hash: blob("hash", { mode: "buffer" }).notNull().unique(),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
    usedAt: instant("used_at"),
    /** When a newer link replaced it. */
    revokedAt: instant("revoked_at"),
  },
  (table) => [index("account_links_account").on(table.accountSeq)],
);
