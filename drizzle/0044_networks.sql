ALTER TABLE `enrichments` ADD `network_rank` integer;--> statement-breakpoint
ALTER TABLE `enrichments` ADD `network_due_at` integer;--> statement-breakpoint
ALTER TABLE `enrichments` ADD `network_failures` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `enrichments_network_due` ON `enrichments` (`network_rank`,`network_due_at`) WHERE "enrichments"."network_rank" is not null;