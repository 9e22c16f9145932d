CREATE TABLE `accounts` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`role` text NOT NULL,
	`password_hash` text,
	`disabled_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_name_unique` ON `accounts` (`name`);--> statement-breakpoint
INSERT INTO accounts (name, role, created_at) VALUES (
	'admin', 'administrator',
	coalesce((SELECT unixepoch(value) * 1000 FROM settings WHERE name = 'first_started_at'), 0)
);--> statement-breakpoint
-- A column that references a table cannot be added with a value. All sessions so far are those of the administrator.
CREATE TABLE `__new_console_sessions` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`hash` blob NOT NULL,
	`account_seq` integer NOT NULL,
	`address` text,
	`user_agent` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	FOREIGN KEY (`account_seq`) REFERENCES `accounts`(`seq`) ON UPDATE no action ON DELETE cascade
);--> statement-breakpoint
INSERT INTO `__new_console_sessions` SELECT seq, hash, (SELECT seq FROM accounts), address, user_agent, created_at, last_seen_at FROM `console_sessions`;--> statement-breakpoint
DROP TABLE `console_sessions`;--> statement-breakpoint
ALTER TABLE `__new_console_sessions` RENAME TO `console_sessions`;--> statement-breakpoint
CREATE UNIQUE INDEX `console_sessions_hash_unique` ON `console_sessions` (`hash`);--> statement-breakpoint
ALTER TABLE `threats` ADD `assignee_seq` integer REFERENCES accounts(seq) ON DELETE SET NULL;--> statement-breakpoint
ALTER TABLE `threats` ADD `due_at` integer;--> statement-breakpoint
ALTER TABLE `threats` ADD `site_state` text;--> statement-breakpoint
ALTER TABLE `threats` ADD `site_state_at` integer;--> statement-breakpoint
ALTER TABLE `threats` ADD `campaign_seq` integer;--> statement-breakpoint
DROP TRIGGER threats_touched_on_update;--> statement-breakpoint
-- The threat index has columns for the new ones.
CREATE TRIGGER threats_touched_on_update
AFTER UPDATE OF status, severity, severity_reasons, first_seen, similarity, type, source, verified, changed_at, assignee_seq, due_at,
	site_state, campaign_seq ON threats
WHEN OLD.status IS NOT NEW.status OR OLD.severity IS NOT NEW.severity OR OLD.severity_reasons IS NOT NEW.severity_reasons
	OR OLD.first_seen IS NOT NEW.first_seen OR OLD.similarity IS NOT NEW.similarity OR OLD.type IS NOT NEW.type
	OR OLD.source IS NOT NEW.source OR OLD.verified IS NOT NEW.verified OR OLD.changed_at IS NOT NEW.changed_at
	OR OLD.assignee_seq IS NOT NEW.assignee_seq OR OLD.due_at IS NOT NEW.due_at
	OR OLD.site_state IS NOT NEW.site_state OR OLD.campaign_seq IS NOT NEW.campaign_seq
BEGIN
	INSERT INTO threat_touches (threat_seq) VALUES (NEW.seq);
END;
