CREATE TABLE `delivery_hours` (
	`recipient_seq` integer NOT NULL,
	`hour` integer NOT NULL,
	`delivered` integer NOT NULL,
	`failed` integer NOT NULL,
	`delivered_ms` integer NOT NULL,
	PRIMARY KEY(`recipient_seq`, `hour`),
	FOREIGN KEY (`recipient_seq`) REFERENCES `recipients`(`seq`) ON UPDATE no action ON DELETE cascade
);
