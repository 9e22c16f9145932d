ALTER TABLE `threats` ADD `changed_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
DROP TRIGGER threats_touched_on_update;
--> statement-breakpoint
UPDATE threats SET changed_at = max(
	created_at,
	status_changed_at,
	coalesce(clone_seen_at, 0),
	coalesce((SELECT max(at) FROM threat_history WHERE threat_seq = threats.seq), 0)
);
--> statement-breakpoint
-- The threat index has a column for it.
CREATE TRIGGER threats_touched_on_update
AFTER UPDATE OF status, severity, severity_reasons, first_seen, similarity, type, source, verified, changed_at ON threats
WHEN OLD.status IS NOT NEW.status OR OLD.severity IS NOT NEW.severity OR OLD.severity_reasons IS NOT NEW.severity_reasons
	OR OLD.first_seen IS NOT NEW.first_seen OR OLD.similarity IS NOT NEW.similarity OR OLD.type IS NOT NEW.type
	OR OLD.source IS NOT NEW.source OR OLD.verified IS NOT NEW.verified OR OLD.changed_at IS NOT NEW.changed_at
BEGIN
	INSERT INTO threat_touches (threat_seq) VALUES (NEW.seq);
END;
