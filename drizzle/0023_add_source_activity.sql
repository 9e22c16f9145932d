CREATE TABLE `source_activity` (
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`day` integer NOT NULL,
	`names` integer NOT NULL,
	`invalid` integer NOT NULL,
	`matched` integer NOT NULL,
	`created` integer NOT NULL,
	`last_at` integer NOT NULL,
	PRIMARY KEY(`day`, `kind`, `name`)
);
--> statement-breakpoint
CREATE TABLE `source_pauses` (
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`paused_at` integer NOT NULL,
	`channel` text NOT NULL,
	`actor` text,
	PRIMARY KEY(`kind`, `name`)
);
