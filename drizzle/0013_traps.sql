CREATE TABLE `trap_addresses` (
	`address` text PRIMARY KEY NOT NULL,
	`trap_seq` integer NOT NULL,
	`created_at` integer NOT NULL,
	`replaced_at` integer,
	FOREIGN KEY (`trap_seq`) REFERENCES `traps`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `trap_addresses_trap` ON `trap_addresses` (`trap_seq`);--> statement-breakpoint
CREATE TABLE `traps` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`protected_domain_seq` integer,
	`details` text NOT NULL,
	`memo` text NOT NULL,
	`enabled` integer NOT NULL,
	`expires_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`protected_domain_seq`) REFERENCES `protected_domains`(`seq`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `traps_id_unique` ON `traps` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `traps_name` ON `traps` (`kind`,`name`);--> statement-breakpoint
INSERT INTO `traps` (`id`, `kind`, `name`, `protected_domain_seq`, `details`, `memo`, `enabled`, `created_at`)
SELECT `id`, 'beacon', `name`, `protected_domain_seq`, json_object('allow', json(`allow`)), `memo`, `enabled`, `created_at`
FROM `beacons` ORDER BY `seq`;
--> statement-breakpoint
INSERT INTO `traps` (`id`, `kind`, `name`, `details`, `memo`, `enabled`, `expires_at`, `created_at`)
SELECT `id`, 'honeytoken', `name`, json_object('kind', `kind`, 'response', json(`answer`)), `memo`, `enabled`, `expires_at`, `created_at`
FROM `honeytokens` ORDER BY `seq`;
--> statement-breakpoint
INSERT INTO `trap_addresses` (`address`, `trap_seq`, `created_at`)
SELECT `beacons`.`address`, `traps`.`seq`, `beacons`.`created_at`
FROM `beacons` JOIN `traps` ON `traps`.`id` = `beacons`.`id` ORDER BY `beacons`.`seq`;
--> statement-breakpoint
INSERT INTO `trap_addresses` (`address`, `trap_seq`, `created_at`, `replaced_at`)
SELECT `honeytoken_addresses`.`address`, `traps`.`seq`, `honeytoken_addresses`.`created_at`, `honeytoken_addresses`.`replaced_at`
FROM `honeytoken_addresses`
JOIN `honeytokens` ON `honeytokens`.`seq` = `honeytoken_addresses`.`token_seq`
JOIN `traps` ON `traps`.`id` = `honeytokens`.`id`
ORDER BY `honeytoken_addresses`.`rowid`;
--> statement-breakpoint
DROP TABLE `beacons`;--> statement-breakpoint
DROP TABLE `honeytoken_addresses`;--> statement-breakpoint
DROP TABLE `honeytokens`;