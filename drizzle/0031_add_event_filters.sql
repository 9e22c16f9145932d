CREATE TABLE `announcements` (
	`recipient_seq` integer NOT NULL,
	`subscription_seq` integer NOT NULL,
	`threat_seq` integer NOT NULL,
	PRIMARY KEY(`recipient_seq`, `subscription_seq`, `threat_seq`),
	FOREIGN KEY (`recipient_seq`) REFERENCES `recipients`(`seq`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `threat_escalations` (
	`seq` integer PRIMARY KEY NOT NULL,
	`threat_seq` integer NOT NULL,
	`event_seq` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `recipients` ADD `filter` text;--> statement-breakpoint
ALTER TABLE `events` ADD `recipient_seq` integer;