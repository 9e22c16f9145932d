CREATE TABLE `beacons` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`protected_domain_seq` integer NOT NULL,
	`name` text NOT NULL,
	`address` text NOT NULL,
	`allow` text NOT NULL,
	`memo` text NOT NULL,
	`enabled` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`protected_domain_seq`) REFERENCES `protected_domains`(`seq`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `beacons_id_unique` ON `beacons` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `beacons_name_unique` ON `beacons` (`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `beacons_address_unique` ON `beacons` (`address`);--> statement-breakpoint
CREATE TABLE `honeytoken_addresses` (
	`address` text PRIMARY KEY NOT NULL,
	`token_seq` integer NOT NULL,
	`created_at` integer NOT NULL,
	`replaced_at` integer,
	FOREIGN KEY (`token_seq`) REFERENCES `honeytokens`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `honeytoken_addresses_token` ON `honeytoken_addresses` (`token_seq`);--> statement-breakpoint
CREATE TABLE `honeytokens` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`memo` text NOT NULL,
	`answer` text NOT NULL,
	`enabled` integer NOT NULL,
	`expires_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `honeytokens_id_unique` ON `honeytokens` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `honeytokens_name_unique` ON `honeytokens` (`name`);--> statement-breakpoint
CREATE TABLE `trap_counts` (
	`trap_id` text NOT NULL,
	`class` text NOT NULL,
	`total` integer NOT NULL,
	`last_at` integer NOT NULL,
	PRIMARY KEY(`trap_id`, `class`)
);
--> statement-breakpoint
CREATE TABLE `trap_hits` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`trap_id` text NOT NULL,
	`class` text NOT NULL,
	`visitor` text NOT NULL,
	`host` text,
	`url` text NOT NULL,
	`referrer` text,
	`claimed_url` text,
	`ip_address` text,
	`user_agent` text,
	`method` text,
	`headers` text NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	`count` integer NOT NULL,
	`event_id` text,
	`threat_id` text
);
--> statement-breakpoint
CREATE INDEX `trap_hits_trap` ON `trap_hits` (`trap_id`);--> statement-breakpoint
CREATE INDEX `trap_hits_visitor` ON `trap_hits` (`trap_id`,`visitor`,`first_at`);--> statement-breakpoint
CREATE INDEX `trap_hits_last_at` ON `trap_hits` (`last_at`);--> statement-breakpoint
ALTER TABLE `threats` ADD `clone_seen_at` integer;