CREATE TABLE `certificate_log_failures` (
	`log_id` text PRIMARY KEY NOT NULL,
	`errors` integer NOT NULL,
	`error` text NOT NULL,
	`error_at` integer NOT NULL
);
