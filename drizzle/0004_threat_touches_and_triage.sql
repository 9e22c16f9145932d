CREATE TABLE `threat_touches` (
	`version` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`threat_seq` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `triage_acts` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`status` text NOT NULL,
	`undone_at` integer
);
--> statement-breakpoint
CREATE TABLE `triage_steps` (
	`act_seq` integer NOT NULL,
	`threat_seq` integer NOT NULL,
	`previous_status` text NOT NULL,
	`changed_at` integer NOT NULL,
	PRIMARY KEY(`act_seq`, `threat_seq`),
	FOREIGN KEY (`act_seq`) REFERENCES `triage_acts`(`seq`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`threat_seq`) REFERENCES `threats`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `triage_steps_threat` ON `triage_steps` (`threat_seq`);--> statement-breakpoint
-- What is held in memory of a threat follows it, whatever process writes (see src/threats/columns.ts).
CREATE TRIGGER threats_touched_on_update AFTER UPDATE ON threats
WHEN OLD.status IS NOT NEW.status OR OLD.severity IS NOT NEW.severity OR OLD.severity_reasons IS NOT NEW.severity_reasons
	OR OLD.first_seen IS NOT NEW.first_seen OR OLD.status_changed_at IS NOT NEW.status_changed_at
	OR OLD.similarity IS NOT NEW.similarity OR OLD.type IS NOT NEW.type OR OLD.source IS NOT NEW.source
BEGIN
	INSERT INTO threat_touches (threat_seq) VALUES (NEW.seq);
	DELETE FROM threat_touches WHERE version <= (SELECT max(version) FROM threat_touches) - 100000;
END;
--> statement-breakpoint
CREATE TRIGGER threats_touched_on_delete AFTER DELETE ON threats BEGIN
	INSERT INTO threat_touches (threat_seq) VALUES (OLD.seq);
	DELETE FROM threat_touches WHERE version <= (SELECT max(version) FROM threat_touches) - 100000;
END;
