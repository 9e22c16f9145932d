DROP TRIGGER threats_touched_on_update;
--> statement-breakpoint
-- Also notes changes of registration data alone, so that readers can keep a threat in memory until it changes.
CREATE TRIGGER threats_touched_on_update
AFTER UPDATE OF status, severity, severity_reasons, first_seen, similarity, type, source, verified, changed_at, assignee_seq, due_at,
	site_state, campaign_seq, ip_address, registrar, whois, screenshot_token ON threats
WHEN OLD.status IS NOT NEW.status OR OLD.severity IS NOT NEW.severity OR OLD.severity_reasons IS NOT NEW.severity_reasons
	OR OLD.first_seen IS NOT NEW.first_seen OR OLD.similarity IS NOT NEW.similarity OR OLD.type IS NOT NEW.type
	OR OLD.source IS NOT NEW.source OR OLD.verified IS NOT NEW.verified OR OLD.changed_at IS NOT NEW.changed_at
	OR OLD.assignee_seq IS NOT NEW.assignee_seq OR OLD.due_at IS NOT NEW.due_at
	OR OLD.site_state IS NOT NEW.site_state OR OLD.campaign_seq IS NOT NEW.campaign_seq
	OR OLD.ip_address IS NOT NEW.ip_address OR OLD.registrar IS NOT NEW.registrar OR OLD.whois IS NOT NEW.whois
	OR OLD.screenshot_token IS NOT NEW.screenshot_token
BEGIN
	INSERT INTO threat_touches (threat_seq) VALUES (NEW.seq);
END;
