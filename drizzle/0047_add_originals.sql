CREATE TABLE `dismissed_suggestions` (
	`protected_domain_seq` integer NOT NULL,
	`kind` text NOT NULL,
	`value` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`protected_domain_seq`, `kind`, `value`),
	FOREIGN KEY (`protected_domain_seq`) REFERENCES `protected_domains`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `original_logos` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`protected_domain_seq` integer NOT NULL,
	`name` text NOT NULL,
	`image` blob NOT NULL,
	`sha256` text NOT NULL,
	`width` integer NOT NULL,
	`height` integer NOT NULL,
	`added_at` integer NOT NULL,
	`added_by` text NOT NULL,
	FOREIGN KEY (`protected_domain_seq`) REFERENCES `protected_domains`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `original_logos_image` ON `original_logos` (`protected_domain_seq`,`sha256`);--> statement-breakpoint
CREATE TABLE `original_versions` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`original_seq` integer NOT NULL,
	`state` text NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`sightings` integer NOT NULL,
	`accepted_at` integer,
	`fingerprint` text NOT NULL,
	`names` text NOT NULL,
	`changes` text NOT NULL,
	`secure` integer NOT NULL,
	`source` text NOT NULL,
	`has_screenshot` integer NOT NULL,
	FOREIGN KEY (`original_seq`) REFERENCES `originals`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `original_versions_original` ON `original_versions` (`original_seq`,`accepted_at`);--> statement-breakpoint
CREATE TABLE `originals` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`protected_domain_seq` integer NOT NULL,
	`address` text NOT NULL,
	`role` text NOT NULL,
	`chosen_by` text NOT NULL,
	`enabled` integer NOT NULL,
	`created_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`captured_at` integer,
	`failures` integer DEFAULT 0 NOT NULL,
	`failing_since` integer,
	`problem` text,
	FOREIGN KEY (`protected_domain_seq`) REFERENCES `protected_domains`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `originals_address` ON `originals` (`protected_domain_seq`,`address`);--> statement-breakpoint
CREATE INDEX `originals_due` ON `originals` (`due_at`) WHERE "originals"."enabled";