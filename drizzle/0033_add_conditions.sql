CREATE TABLE `system_conditions` (
	`key` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`since` integer NOT NULL,
	`sent_at` integer,
	`version` text
);
