DROP TRIGGER threats_touched_on_update;
--> statement-breakpoint
CREATE TRIGGER threats_touched_on_update
AFTER UPDATE OF status, severity, severity_reasons, first_seen, similarity, type, source, verified ON threats
WHEN OLD.status IS NOT NEW.status OR OLD.severity IS NOT NEW.severity OR OLD.severity_reasons IS NOT NEW.severity_reasons
	OR OLD.first_seen IS NOT NEW.first_seen OR OLD.similarity IS NOT NEW.similarity OR OLD.type IS NOT NEW.type
	OR OLD.source IS NOT NEW.source OR OLD.verified IS NOT NEW.verified
BEGIN
	INSERT INTO threat_touches (threat_seq) VALUES (NEW.seq);
END;
