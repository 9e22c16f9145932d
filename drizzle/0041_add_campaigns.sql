CREATE TABLE `campaigns` (
	`number` integer PRIMARY KEY NOT NULL,
	`size` integer NOT NULL,
	`score` integer NOT NULL,
	`reasons` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `threats_campaign` ON `threats` (`campaign_seq`) WHERE "threats"."campaign_seq" is not null;--> statement-breakpoint
-- Facts that no column of the threat shows, such as a page or a certificate, are changes as well.
CREATE TRIGGER enrichments_touched_on_update
AFTER UPDATE OF facts ON enrichments
WHEN OLD.facts IS NOT NEW.facts
BEGIN
	INSERT INTO threat_touches (threat_seq) VALUES (NEW.threat_seq);
END;
--> statement-breakpoint
CREATE TRIGGER threat_certificates_touched_on_insert
AFTER INSERT ON threat_certificates
BEGIN
	INSERT INTO threat_touches (threat_seq) VALUES (NEW.threat_seq);
END;
