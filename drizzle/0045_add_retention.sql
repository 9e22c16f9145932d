CREATE TABLE `retention_notices` (
	`rule` text PRIMARY KEY NOT NULL,
	`age_ms` integer NOT NULL,
	`since` integer NOT NULL,
	`previous_age_ms` integer,
	`unrecorded` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `deleted_threats` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`protected_domain_seq` integer NOT NULL,
	`domain` text NOT NULL,
	`threat_id` text NOT NULL,
	`status` text NOT NULL,
	`closed_at` integer NOT NULL,
	`deleted_at` integer NOT NULL,
	FOREIGN KEY (`protected_domain_seq`) REFERENCES `protected_domains`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `deleted_threats_pair` ON `deleted_threats` (`protected_domain_seq`,`domain`);--> statement-breakpoint
CREATE INDEX `threats_closed` ON `threats` (`status`,`status_changed_at`) WHERE "threats"."status" <> 'active';