CREATE TABLE `threat_certificates` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`threat_seq` integer NOT NULL,
	`identity` text NOT NULL,
	`issuer` text NOT NULL,
	`serial` text NOT NULL,
	`not_before` integer,
	`log` text NOT NULL,
	`entry_url` text NOT NULL,
	`entry_index` integer NOT NULL,
	`is_verified` integer NOT NULL,
	`seen_at` integer NOT NULL,
	FOREIGN KEY (`threat_seq`) REFERENCES `threats`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `threat_certificates_identity` ON `threat_certificates` (`threat_seq`,`identity`);--> statement-breakpoint
CREATE TABLE `threat_urls` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`threat_seq` integer NOT NULL,
	`url` text NOT NULL,
	`source` text NOT NULL,
	`seen_at` integer NOT NULL,
	FOREIGN KEY (`threat_seq`) REFERENCES `threats`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `threat_urls_url` ON `threat_urls` (`threat_seq`,`url`);