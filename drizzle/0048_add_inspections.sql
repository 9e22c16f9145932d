CREATE TABLE `inspection_counts` (
	`day` integer NOT NULL,
	`name` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`day`, `name`)
);
--> statement-breakpoint
CREATE TABLE `inspections` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`address` text NOT NULL,
	`host` text NOT NULL,
	`priority` integer NOT NULL,
	`source` text NOT NULL,
	`origin_kind` text NOT NULL,
	`origin_name` text NOT NULL,
	`requested_at` integer NOT NULL,
	`state` text NOT NULL,
	`due_at` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`started_at` integer,
	`finished_at` integer,
	`duration_ms` integer,
	`imitates` integer,
	`protected_domain` text,
	`score` real,
	`verdicts` text NOT NULL,
	`page` text,
	`reason` text,
	`threat_seq` integer,
	FOREIGN KEY (`threat_seq`) REFERENCES `threats`(`seq`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `inspections_id_unique` ON `inspections` (`id`);--> statement-breakpoint
CREATE INDEX `inspections_due` ON `inspections` (`priority`,`due_at`) WHERE "inspections"."state" = 'queued';--> statement-breakpoint
CREATE INDEX `inspections_host` ON `inspections` (`host`);--> statement-breakpoint
CREATE INDEX `inspections_state` ON `inspections` (`state`);--> statement-breakpoint
CREATE INDEX `inspections_finished` ON `inspections` (`finished_at`) WHERE "inspections"."finished_at" is not null;--> statement-breakpoint
CREATE INDEX `inspections_imitations` ON `inspections` (`imitates`) WHERE "inspections"."imitates" = 1;--> statement-breakpoint
CREATE INDEX `inspections_threat` ON `inspections` (`threat_seq`) WHERE "inspections"."threat_seq" is not null;