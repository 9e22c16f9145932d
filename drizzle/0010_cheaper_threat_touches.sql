-- A status change costs a write less without AUTOINCREMENT, and old touches are cleared away by the thousand.
DROP TRIGGER threats_touched_on_update;
--> statement-breakpoint
DROP TRIGGER threats_touched_on_delete;
--> statement-breakpoint
DROP TABLE `threat_touches`;
--> statement-breakpoint
CREATE TABLE `threat_touches` (
	`version` integer PRIMARY KEY NOT NULL,
	`threat_seq` integer NOT NULL
);
--> statement-breakpoint
CREATE TRIGGER threats_touched_on_update
AFTER UPDATE OF status, severity, severity_reasons, first_seen, similarity, type, source ON threats
WHEN OLD.status IS NOT NEW.status OR OLD.severity IS NOT NEW.severity OR OLD.severity_reasons IS NOT NEW.severity_reasons
	OR OLD.first_seen IS NOT NEW.first_seen OR OLD.similarity IS NOT NEW.similarity OR OLD.type IS NOT NEW.type
	OR OLD.source IS NOT NEW.source
BEGIN
	INSERT INTO threat_touches (threat_seq) VALUES (NEW.seq);
END;
--> statement-breakpoint
CREATE TRIGGER threats_touched_on_delete AFTER DELETE ON threats BEGIN
	INSERT INTO threat_touches (threat_seq) VALUES (OLD.seq);
END;
--> statement-breakpoint
CREATE TRIGGER threat_touches_trimmed AFTER INSERT ON threat_touches WHEN NEW.version % 1024 = 0 BEGIN
	DELETE FROM threat_touches WHERE version <= NEW.version - 100000;
END;
