CREATE TABLE `failed_sign_ins` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`network` text NOT NULL,
	`hour` integer NOT NULL,
	`attempts` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	`address` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `failed_sign_ins_hour` ON `failed_sign_ins` (`hour`,`network`);--> statement-breakpoint
INSERT INTO `failed_sign_ins` (`network`, `hour`, `attempts`, `first_at`, `last_at`, `address`)
SELECT coalesce(`address`, ''), `at` - `at` % 3600000, count(*), min(`at`), max(`at`), `address`
FROM `audit_log` WHERE `action` = 'console.sign_in_failed'
GROUP BY 1, 2 ORDER BY 2, 4;
--> statement-breakpoint
DELETE FROM `audit_log` WHERE `action` = 'console.sign_in_failed';
