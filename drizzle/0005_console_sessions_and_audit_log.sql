CREATE TABLE `audit_log` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`via` text NOT NULL,
	`name` text,
	`address` text,
	`action` text NOT NULL,
	`subject` text,
	`detail` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_log_action` ON `audit_log` (`action`,`seq`);--> statement-breakpoint
CREATE TABLE `console_sessions` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`hash` blob NOT NULL,
	`address` text,
	`user_agent` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `console_sessions_hash_unique` ON `console_sessions` (`hash`);