CREATE TABLE `takedown_files` (
	`report_seq` integer NOT NULL,
	`position` integer NOT NULL,
	`name` text NOT NULL,
	`media_type` text NOT NULL,
	`bytes` integer NOT NULL,
	`sha256` text NOT NULL,
	`attached` integer NOT NULL,
	`content` blob,
	PRIMARY KEY(`report_seq`, `position`),
	FOREIGN KEY (`report_seq`) REFERENCES `takedown_reports`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `takedown_report_threats` (
	`report_seq` integer NOT NULL,
	`takedown_seq` integer NOT NULL,
	PRIMARY KEY(`report_seq`, `takedown_seq`),
	FOREIGN KEY (`report_seq`) REFERENCES `takedown_reports`(`seq`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`takedown_seq`) REFERENCES `takedowns`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `takedown_report_threats_takedown` ON `takedown_report_threats` (`takedown_seq`);--> statement-breakpoint
CREATE TABLE `takedown_reports` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`reference` text NOT NULL,
	`purpose` text NOT NULL,
	`previous_seq` integer,
	`recipient_kind` text NOT NULL,
	`recipient_name` text NOT NULL,
	`recipient_email` text,
	`recipient_form_url` text,
	`recipient_source` text NOT NULL,
	`method` text NOT NULL,
	`subject` text NOT NULL,
	`body` text NOT NULL,
	`language` text NOT NULL,
	`created_at` integer NOT NULL,
	`channel` text NOT NULL,
	`actor_name` text,
	`actor_address` text,
	`ticket` text,
	`delivery` text,
	`delivery_response` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`attempt_at` integer,
	`sent_at` integer,
	`message_id` text,
	`follow_up_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `takedown_reports_reference_unique` ON `takedown_reports` (`reference`);--> statement-breakpoint
CREATE INDEX `takedown_reports_previous` ON `takedown_reports` (`previous_seq`) WHERE "takedown_reports"."previous_seq" is not null;--> statement-breakpoint
CREATE INDEX `takedown_reports_queue` ON `takedown_reports` (`attempt_at`) WHERE "takedown_reports"."attempt_at" is not null;--> statement-breakpoint
CREATE INDEX `takedown_reports_problem` ON `takedown_reports` (`delivery`) WHERE "takedown_reports"."delivery" in ('sending', 'interrupted', 'bounced', 'failed');--> statement-breakpoint
CREATE INDEX `takedown_reports_follow_up` ON `takedown_reports` (`follow_up_at`) WHERE "takedown_reports"."follow_up_at" is not null;--> statement-breakpoint
CREATE TABLE `takedown_responses` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`report_seq` integer NOT NULL,
	`at` integer NOT NULL,
	`text` text NOT NULL,
	`channel` text NOT NULL,
	`actor_name` text,
	`actor_address` text,
	FOREIGN KEY (`report_seq`) REFERENCES `takedown_reports`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `takedown_responses_report` ON `takedown_responses` (`report_seq`);--> statement-breakpoint
CREATE TABLE `takedowns` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`threat_seq` integer,
	`domain` text NOT NULL,
	`protected_domain` text NOT NULL,
	`registrar` text,
	`hoster` text,
	`reported_at` integer NOT NULL,
	`counted_from` integer,
	`down_at` integer,
	`down_state` text,
	`back_at` integer,
	`closed_at` integer,
	FOREIGN KEY (`threat_seq`) REFERENCES `threats`(`seq`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `takedowns_threat` ON `takedowns` (`threat_seq`);--> statement-breakpoint
CREATE INDEX `takedowns_open` ON `takedowns` (`reported_at`) WHERE "takedowns"."down_at" is null and "takedowns"."closed_at" is null;--> statement-breakpoint
CREATE INDEX `takedowns_back` ON `takedowns` (`back_at`) WHERE "takedowns"."back_at" is not null;--> statement-breakpoint
-- Follows the state of the site in the transaction that stores it, whichever process does that.
CREATE TRIGGER takedowns_follow_site AFTER UPDATE OF site_state ON threats
WHEN NEW.site_state IS NOT OLD.site_state AND EXISTS (SELECT 1 FROM takedowns WHERE threat_seq = NEW.seq)
BEGIN
	UPDATE takedowns SET counted_from = max(NEW.site_state_at, reported_at)
	WHERE threat_seq = NEW.seq AND down_at IS NULL AND closed_at IS NULL AND counted_from IS NULL
		AND NEW.site_state IN ('up', 'back');
	-- The latest only: an earlier one ended before this one began. A site that is 'back' is merely called 'up' later.
	UPDATE takedowns SET back_at = NEW.site_state_at
	WHERE seq = (SELECT max(seq) FROM takedowns WHERE threat_seq = NEW.seq) AND down_at IS NOT NULL
		AND NEW.site_state IN ('up', 'back') AND coalesce(OLD.site_state, '') NOT IN ('up', 'back');
	UPDATE takedowns SET down_at = max(NEW.site_state_at, reported_at), down_state = NEW.site_state
	WHERE threat_seq = NEW.seq AND down_at IS NULL AND closed_at IS NULL
		AND (NEW.site_state IN ('blocked', 'unregistered', 'down')
			OR (counted_from IS NOT NULL AND NEW.site_state = 'parked'));
END;
--> statement-breakpoint
-- A site that is reported is checked within 4 hours, and from then on at that interval (src/enrichment/plan.ts).
CREATE TRIGGER takedowns_check_site AFTER INSERT ON takedowns
WHEN NEW.threat_seq IS NOT NULL AND NEW.down_at IS NULL
BEGIN
	UPDATE enrichments SET due_at = min(due_at, NEW.reported_at + 4 * 3600000) WHERE threat_seq = NEW.threat_seq;
END;
