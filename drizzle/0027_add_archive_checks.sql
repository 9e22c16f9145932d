CREATE TABLE `archive_checks` (
	`protected_domain_seq` integer PRIMARY KEY NOT NULL,
	`widenings` integer NOT NULL,
	`state` text NOT NULL,
	`position` text,
	`names_total` integer NOT NULL,
	`names_checked` integer NOT NULL,
	`found` integer NOT NULL,
	`created` integer NOT NULL,
	`started_at` integer NOT NULL,
	`completed_at` integer,
	`error` text,
	FOREIGN KEY (`protected_domain_seq`) REFERENCES `protected_domains`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `protected_domains` ADD `widenings` integer DEFAULT 1 NOT NULL;