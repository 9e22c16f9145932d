CREATE TABLE `lists` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`token` text NOT NULL,
	`statuses` text NOT NULL,
	`min_severity` text NOT NULL,
	`verified_only` integer NOT NULL,
	`protected_domains` text NOT NULL,
	`max_age_ms` integer,
	`origin` text NOT NULL,
	`enabled` integer NOT NULL,
	`disabled_reason` text,
	`digest` text NOT NULL,
	`names` integer NOT NULL,
	`content_changed_at` integer NOT NULL,
	`fetched_at` integer,
	`fetched_by` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `lists_id_unique` ON `lists` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `lists_name_unique` ON `lists` (`name`);