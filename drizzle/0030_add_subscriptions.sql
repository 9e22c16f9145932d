CREATE TABLE `notification_incidents` (
	`subscription_seq` integer NOT NULL,
	`threat_seq` integer NOT NULL,
	PRIMARY KEY(`subscription_seq`, `threat_seq`),
	FOREIGN KEY (`subscription_seq`) REFERENCES `subscriptions`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `notification_queue` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`subscription_seq` integer NOT NULL,
	`type` text NOT NULL,
	`late` integer NOT NULL,
	`threat_seq` integer,
	`data` text,
	`at` integer NOT NULL,
	`urgent_at` integer,
	FOREIGN KEY (`subscription_seq`) REFERENCES `subscriptions`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `notification_queue_subscription` ON `notification_queue` (`subscription_seq`);--> statement-breakpoint
CREATE INDEX `notification_queue_urgent` ON `notification_queue` (`subscription_seq`,`urgent_at`) WHERE "notification_queue"."urgent_at" is not null;--> statement-breakpoint
CREATE INDEX `notification_queue_threat` ON `notification_queue` (`threat_seq`) WHERE "notification_queue"."threat_seq" is not null;--> statement-breakpoint
CREATE TABLE `subscriptions` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`recipient_seq` integer NOT NULL,
	`events` text NOT NULL,
	`filter` text NOT NULL,
	`digest` text NOT NULL,
	`at` integer NOT NULL,
	`weekdays` text NOT NULL,
	`time_zone` text NOT NULL,
	`quiet_hours` text,
	`origin` text NOT NULL,
	`enabled` integer NOT NULL,
	`disabled_reason` text,
	`consumed_seq` integer DEFAULT 0 NOT NULL,
	`limited_until` integer DEFAULT 0 NOT NULL,
	`last_message_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`recipient_seq`) REFERENCES `recipients`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_id_unique` ON `subscriptions` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_name_unique` ON `subscriptions` (`name`);--> statement-breakpoint
CREATE INDEX `subscriptions_recipient` ON `subscriptions` (`recipient_seq`);