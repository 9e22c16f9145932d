CREATE TABLE `saved_views` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`folded_name` text NOT NULL,
	`query` text NOT NULL,
	`position` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `saved_views_name` ON `saved_views` (`folded_name`);--> statement-breakpoint
ALTER TABLE `triage_acts` ADD `via` text;--> statement-breakpoint
ALTER TABLE `triage_acts` ADD `actor_name` text;--> statement-breakpoint
ALTER TABLE `triage_acts` ADD `actor_address` text;