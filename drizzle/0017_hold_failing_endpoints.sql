ALTER TABLE `recipients` ADD `last_failure` text;--> statement-breakpoint
ALTER TABLE `recipients` ADD `next_probe_at` integer;