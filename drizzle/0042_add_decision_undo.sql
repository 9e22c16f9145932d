ALTER TABLE `triage_acts` ADD `undone_via` text;--> statement-breakpoint
ALTER TABLE `triage_acts` ADD `undone_name` text;--> statement-breakpoint
CREATE INDEX `triage_acts_at` ON `triage_acts` (`at`);--> statement-breakpoint
CREATE INDEX `triage_acts_actor` ON `triage_acts` (`via`,`actor_name`);