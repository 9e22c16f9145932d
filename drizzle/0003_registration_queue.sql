ALTER TABLE `enrichments` ADD `registration_suffix` text;--> statement-breakpoint
ALTER TABLE `enrichments` ADD `registration_rank` integer;--> statement-breakpoint
ALTER TABLE `enrichments` ADD `registration_due_at` integer;--> statement-breakpoint
ALTER TABLE `enrichments` ADD `registration_failures` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `enrichments_registration_due` ON `enrichments` (`registration_suffix`,`registration_rank`,`registration_due_at`) WHERE "enrichments"."registration_suffix" is not null;