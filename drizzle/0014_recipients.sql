-- Webhook endpoints become recipients of the channel "webhook". What only that channel knows is one JSON value.
ALTER TABLE `webhook_endpoints` RENAME TO `recipients`;--> statement-breakpoint
ALTER TABLE `deliveries` RENAME COLUMN `endpoint_seq` TO `recipient_seq`;--> statement-breakpoint
CREATE TABLE `__new_recipients` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`channel` text NOT NULL,
	`target` text NOT NULL,
	`events` text NOT NULL,
	`concurrency` integer,
	`rate_per_second` real,
	`origin` text NOT NULL,
	`enabled` integer NOT NULL,
	`disabled_reason` text,
	`disabled_at` integer,
	`consecutive_failures` integer NOT NULL,
	`failing_since` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO `__new_recipients`
SELECT `seq`, `id`, `name`, 'webhook',
	json_object('url', `url`, 'secret', `secret`, 'previousSecret', `previous_secret`,
		'previousSecretUntil', `previous_secret_until`, 'headers', json(`headers`), 'caFile', `ca_file`,
		'clientCertFile', `client_cert_file`, 'clientKeyFile', `client_key_file`),
	`events`, `concurrency`, `rate_per_second`, `origin`, `enabled`, `disabled_reason`, `disabled_at`,
	`consecutive_failures`, `failing_since`, `created_at`, `updated_at`
FROM `recipients`;--> statement-breakpoint
DROP TABLE `recipients`;--> statement-breakpoint
ALTER TABLE `__new_recipients` RENAME TO `recipients`;--> statement-breakpoint
CREATE UNIQUE INDEX `recipients_id_unique` ON `recipients` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `recipients_name_unique` ON `recipients` (`name`);
