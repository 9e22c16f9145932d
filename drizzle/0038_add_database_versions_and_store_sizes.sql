CREATE TABLE `store_sizes` (
	`day` integer NOT NULL,
	`store` text NOT NULL,
	`bytes` integer NOT NULL,
	PRIMARY KEY(`day`, `store`)
);
--> statement-breakpoint
CREATE TABLE `database_versions` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`version` text NOT NULL,
	`migrations` integer NOT NULL,
	`migrated_at` integer NOT NULL
);
