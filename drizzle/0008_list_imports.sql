CREATE TABLE `list_imports` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text,
	`format` text NOT NULL,
	`column` text NOT NULL,
	`state` text NOT NULL,
	`bytes_total` integer,
	`bytes` integer DEFAULT 0 NOT NULL,
	`lines` integer DEFAULT 0 NOT NULL,
	`received` integer DEFAULT 0 NOT NULL,
	`invalid` integer DEFAULT 0 NOT NULL,
	`first_invalid` text NOT NULL,
	`matched` integer DEFAULT 0 NOT NULL,
	`created` integer DEFAULT 0 NOT NULL,
	`started_at` integer NOT NULL,
	`completed_at` integer,
	`error` text
);
