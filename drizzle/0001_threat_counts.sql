-- Keeps threat_counts exact whatever writes to threats. Domain 0 stands for all domains together.
CREATE TRIGGER threats_counted_on_insert AFTER INSERT ON threats BEGIN
	INSERT INTO threat_counts (protected_domain_seq, status, severity, total)
	VALUES (NEW.protected_domain_seq, NEW.status, NEW.severity, 1), (0, NEW.status, NEW.severity, 1)
	ON CONFLICT DO UPDATE SET total = total + 1;
END;
--> statement-breakpoint
CREATE TRIGGER threats_counted_on_delete AFTER DELETE ON threats BEGIN
	UPDATE threat_counts SET total = total - 1
	WHERE protected_domain_seq IN (OLD.protected_domain_seq, 0) AND status = OLD.status AND severity = OLD.severity;
END;
--> statement-breakpoint
CREATE TRIGGER threats_counted_on_update AFTER UPDATE OF protected_domain_seq, status, severity ON threats BEGIN
	UPDATE threat_counts SET total = total - 1
	WHERE protected_domain_seq IN (OLD.protected_domain_seq, 0) AND status = OLD.status AND severity = OLD.severity;
	INSERT INTO threat_counts (protected_domain_seq, status, severity, total)
	VALUES (NEW.protected_domain_seq, NEW.status, NEW.severity, 1), (0, NEW.status, NEW.severity, 1)
	ON CONFLICT DO UPDATE SET total = total + 1;
END;
