CREATE TABLE `registration_answers` (
	`threat_seq` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`answer` blob NOT NULL,
	FOREIGN KEY (`threat_seq`) REFERENCES `threats`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `threat_notes` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`threat_seq` integer NOT NULL,
	`at` integer NOT NULL,
	`text` text NOT NULL,
	`via` text NOT NULL,
	`actor_name` text,
	`actor_address` text,
	FOREIGN KEY (`threat_seq`) REFERENCES `threats`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `threat_notes_threat` ON `threat_notes` (`threat_seq`);--> statement-breakpoint
CREATE INDEX `events_threat` ON `events` ((body ->> '$.data.threat.id')) WHERE (body ->> '$.data.threat.id') is not null;