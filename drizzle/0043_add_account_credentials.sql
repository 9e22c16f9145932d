CREATE TABLE `account_links` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_seq` integer NOT NULL,
	`hash` blob NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	`revoked_at` integer,
	FOREIGN KEY (`account_seq`) REFERENCES `accounts`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `account_links_hash_unique` ON `account_links` (`hash`);--> statement-breakpoint
CREATE INDEX `account_links_account` ON `account_links` (`account_seq`);--> statement-breakpoint
CREATE TABLE `account_recovery_codes` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_seq` integer NOT NULL,
	`hash` blob NOT NULL,
	FOREIGN KEY (`account_seq`) REFERENCES `accounts`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `account_recovery_codes_hash_unique` ON `account_recovery_codes` (`hash`);--> statement-breakpoint
CREATE INDEX `account_recovery_codes_account` ON `account_recovery_codes` (`account_seq`);--> statement-breakpoint
ALTER TABLE `accounts` ADD `origin` text DEFAULT 'local' NOT NULL;--> statement-breakpoint
ALTER TABLE `accounts` ADD `last_sign_in_at` integer;--> statement-breakpoint
ALTER TABLE `accounts` ADD `code_secret` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `new_code_secret` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `code_step` integer;--> statement-breakpoint
-- The password of the console becomes that of the administrator.
UPDATE accounts SET password_hash = (SELECT value FROM settings WHERE name = 'console_password_hash') WHERE name = 'admin';--> statement-breakpoint
DELETE FROM settings WHERE name = 'console_password_hash';
