CREATE TABLE `threat_list_block_counts` (
	`protected_domain_seq` integer NOT NULL,
	`first_seen` integer NOT NULL,
	`seq` integer NOT NULL,
	`status` text NOT NULL,
	`severity` text NOT NULL,
	`total` integer NOT NULL,
	PRIMARY KEY(`protected_domain_seq`, `first_seen`, `seq`, `status`, `severity`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `threat_list_blocks` (
	`first_seen` integer NOT NULL,
	`seq` integer NOT NULL,
	`total` integer NOT NULL,
	PRIMARY KEY(`first_seen`, `seq`)
) WITHOUT ROWID;
--> statement-breakpoint
-- The first block starts before all threats, so that every threat is in a block.
INSERT INTO threat_list_blocks (first_seen, seq, total) VALUES (-9000000000000000, 0, 0);
--> statement-breakpoint
INSERT INTO threat_list_blocks (first_seen, seq, total)
SELECT first_seen, seq, 0
FROM (SELECT first_seen, seq, row_number() OVER (ORDER BY first_seen, seq) AS place FROM threats)
WHERE place % 4096 = 0;
--> statement-breakpoint
INSERT INTO threat_list_block_counts (protected_domain_seq, first_seen, seq, status, severity, total)
SELECT t.protected_domain_seq, b.first_seen, b.seq, t.status, t.severity, count(*)
FROM threats t INDEXED BY threats_domain_status_severity
JOIN threat_list_blocks b ON (b.first_seen, b.seq) = (
	SELECT first_seen, seq FROM threat_list_blocks WHERE (first_seen, seq) <= (t.first_seen, t.seq)
	ORDER BY first_seen DESC, seq DESC LIMIT 1
)
GROUP BY t.protected_domain_seq, b.first_seen, b.seq, t.status, t.severity;
--> statement-breakpoint
INSERT INTO threat_list_block_counts (protected_domain_seq, first_seen, seq, status, severity, total)
SELECT 0, first_seen, seq, status, severity, sum(total)
FROM threat_list_block_counts GROUP BY first_seen, seq, status, severity;
--> statement-breakpoint
UPDATE threat_list_blocks SET total = coalesce((
	SELECT sum(total) FROM threat_list_block_counts
	WHERE protected_domain_seq = 0 AND first_seen = threat_list_blocks.first_seen AND seq = threat_list_blocks.seq
), 0);
--> statement-breakpoint
-- The total of a block is changed last in each trigger, because it can divide or remove the block.
CREATE TRIGGER threats_in_list_on_insert AFTER INSERT ON threats BEGIN
	INSERT INTO threat_list_block_counts (protected_domain_seq, first_seen, seq, status, severity, total)
	SELECT 0, first_seen, seq, NEW.status, NEW.severity, 1
	FROM threat_list_blocks WHERE (first_seen, seq) <= (NEW.first_seen, NEW.seq)
	ORDER BY first_seen DESC, seq DESC LIMIT 1
	ON CONFLICT DO UPDATE SET total = threat_list_block_counts.total + 1;
	INSERT INTO threat_list_block_counts (protected_domain_seq, first_seen, seq, status, severity, total)
	SELECT NEW.protected_domain_seq, first_seen, seq, NEW.status, NEW.severity, 1
	FROM threat_list_blocks WHERE (first_seen, seq) <= (NEW.first_seen, NEW.seq)
	ORDER BY first_seen DESC, seq DESC LIMIT 1
	ON CONFLICT DO UPDATE SET total = threat_list_block_counts.total + 1;
	UPDATE threat_list_blocks SET total = total + 1 WHERE (first_seen, seq) = (
		SELECT first_seen, seq FROM threat_list_blocks WHERE (first_seen, seq) <= (NEW.first_seen, NEW.seq)
		ORDER BY first_seen DESC, seq DESC LIMIT 1
	);
END;
--> statement-breakpoint
CREATE TRIGGER threats_in_list_on_delete AFTER DELETE ON threats BEGIN
	UPDATE threat_list_block_counts SET total = total - 1
	WHERE protected_domain_seq IN (0, OLD.protected_domain_seq) AND status = OLD.status AND severity = OLD.severity
		AND (first_seen, seq) = (
			SELECT first_seen, seq FROM threat_list_blocks WHERE (first_seen, seq) <= (OLD.first_seen, OLD.seq)
			ORDER BY first_seen DESC, seq DESC LIMIT 1
		);
	UPDATE threat_list_blocks SET total = total - 1 WHERE (first_seen, seq) = (
		SELECT first_seen, seq FROM threat_list_blocks WHERE (first_seen, seq) <= (OLD.first_seen, OLD.seq)
		ORDER BY first_seen DESC, seq DESC LIMIT 1
	);
END;
--> statement-breakpoint
CREATE TRIGGER threats_in_list_on_update AFTER UPDATE OF protected_domain_seq, status, severity ON threats
WHEN (OLD.status IS NOT NEW.status OR OLD.severity IS NOT NEW.severity
	OR OLD.protected_domain_seq IS NOT NEW.protected_domain_seq) AND OLD.first_seen IS NEW.first_seen
BEGIN
	INSERT INTO threat_list_block_counts (protected_domain_seq, first_seen, seq, status, severity, total)
	SELECT change.protected_domain_seq, block.first_seen, block.seq, change.status, change.severity, change.difference
	FROM (
		SELECT first_seen, seq FROM threat_list_blocks WHERE (first_seen, seq) <= (NEW.first_seen, NEW.seq)
		ORDER BY first_seen DESC, seq DESC LIMIT 1
	) block
	CROSS JOIN (
		SELECT OLD.protected_domain_seq AS protected_domain_seq, OLD.status AS status, OLD.severity AS severity, -1 AS difference
		UNION ALL SELECT 0, OLD.status, OLD.severity, -1
		UNION ALL SELECT NEW.protected_domain_seq, NEW.status, NEW.severity, 1
		UNION ALL SELECT 0, NEW.status, NEW.severity, 1
	) change
	WHERE true
	ON CONFLICT DO UPDATE SET total = threat_list_block_counts.total + excluded.total;
END;
--> statement-breakpoint
CREATE TRIGGER threats_in_list_on_move AFTER UPDATE OF first_seen ON threats WHEN OLD.first_seen IS NOT NEW.first_seen BEGIN
	UPDATE threat_list_block_counts SET total = total - 1
	WHERE protected_domain_seq IN (0, OLD.protected_domain_seq) AND status = OLD.status AND severity = OLD.severity
		AND (first_seen, seq) = (
			SELECT first_seen, seq FROM threat_list_blocks WHERE (first_seen, seq) <= (OLD.first_seen, OLD.seq)
			ORDER BY first_seen DESC, seq DESC LIMIT 1
		);
	INSERT INTO threat_list_block_counts (protected_domain_seq, first_seen, seq, status, severity, total)
	SELECT 0, first_seen, seq, NEW.status, NEW.severity, 1
	FROM threat_list_blocks WHERE (first_seen, seq) <= (NEW.first_seen, NEW.seq)
	ORDER BY first_seen DESC, seq DESC LIMIT 1
	ON CONFLICT DO UPDATE SET total = threat_list_block_counts.total + 1;
	INSERT INTO threat_list_block_counts (protected_domain_seq, first_seen, seq, status, severity, total)
	SELECT NEW.protected_domain_seq, first_seen, seq, NEW.status, NEW.severity, 1
	FROM threat_list_blocks WHERE (first_seen, seq) <= (NEW.first_seen, NEW.seq)
	ORDER BY first_seen DESC, seq DESC LIMIT 1
	ON CONFLICT DO UPDATE SET total = threat_list_block_counts.total + 1;
	-- A threat that stays in its block changes no total: as the only one, it would remove the block.
	UPDATE threat_list_blocks SET total = total + 1 WHERE (first_seen, seq) = (
		SELECT first_seen, seq FROM threat_list_blocks WHERE (first_seen, seq) <= (NEW.first_seen, NEW.seq)
		ORDER BY first_seen DESC, seq DESC LIMIT 1
	) AND (first_seen, seq) <> (
		SELECT first_seen, seq FROM threat_list_blocks WHERE (first_seen, seq) <= (OLD.first_seen, OLD.seq)
		ORDER BY first_seen DESC, seq DESC LIMIT 1
	);
	UPDATE threat_list_blocks SET total = total - 1 WHERE (first_seen, seq) = (
		SELECT first_seen, seq FROM threat_list_blocks WHERE (first_seen, seq) <= (OLD.first_seen, OLD.seq)
		ORDER BY first_seen DESC, seq DESC LIMIT 1
	) AND (first_seen, seq) <> (
		SELECT first_seen, seq FROM threat_list_blocks WHERE (first_seen, seq) <= (NEW.first_seen, NEW.seq)
		ORDER BY first_seen DESC, seq DESC LIMIT 1
	);
END;
--> statement-breakpoint
-- The threats from the 4,097th on become the next block.
CREATE TRIGGER threat_list_block_divided AFTER UPDATE OF total ON threat_list_blocks WHEN NEW.total > 8192 BEGIN
	INSERT INTO threat_list_blocks (first_seen, seq, total)
	SELECT first_seen, seq, NEW.total - 4096 FROM (
		SELECT first_seen, seq FROM threats WHERE first_seen = NEW.first_seen AND seq >= NEW.seq
		UNION ALL SELECT first_seen, seq FROM threats WHERE first_seen > NEW.first_seen
	) ORDER BY first_seen, seq LIMIT 1 OFFSET 4096;
	INSERT INTO threat_list_block_counts (protected_domain_seq, first_seen, seq, status, severity, total)
	SELECT t.protected_domain_seq, block.first_seen, block.seq, t.status, t.severity, count(*)
	FROM (
		SELECT first_seen, seq FROM threat_list_blocks WHERE (first_seen, seq) > (NEW.first_seen, NEW.seq)
		ORDER BY first_seen, seq LIMIT 1
	) block
	CROSS JOIN (
		SELECT seq FROM (
			SELECT first_seen, seq FROM threats WHERE first_seen = NEW.first_seen AND seq >= NEW.seq
			UNION ALL SELECT first_seen, seq FROM threats WHERE first_seen > NEW.first_seen
		) ORDER BY first_seen, seq LIMIT NEW.total - 4096 OFFSET 4096
	) k
	CROSS JOIN threats t ON t.seq = k.seq
	GROUP BY t.protected_domain_seq, t.status, t.severity;
	INSERT INTO threat_list_block_counts (protected_domain_seq, first_seen, seq, status, severity, total)
	SELECT 0, c.first_seen, c.seq, c.status, c.severity, sum(c.total)
	FROM (
		SELECT first_seen, seq FROM threat_list_blocks WHERE (first_seen, seq) > (NEW.first_seen, NEW.seq)
		ORDER BY first_seen, seq LIMIT 1
	) block
	CROSS JOIN threat_list_block_counts c
	WHERE c.protected_domain_seq IN (SELECT seq FROM protected_domains) AND c.first_seen = block.first_seen AND c.seq = block.seq
	GROUP BY c.status, c.severity;
	UPDATE threat_list_block_counts SET total = threat_list_block_counts.total - moved.total
	FROM (
		SELECT first_seen, seq FROM threat_list_blocks WHERE (first_seen, seq) > (NEW.first_seen, NEW.seq)
		ORDER BY first_seen, seq LIMIT 1
	) block, threat_list_block_counts moved
	WHERE (threat_list_block_counts.protected_domain_seq = 0
			OR threat_list_block_counts.protected_domain_seq IN (SELECT seq FROM protected_domains))
		AND threat_list_block_counts.first_seen = NEW.first_seen AND threat_list_block_counts.seq = NEW.seq
		AND moved.protected_domain_seq = threat_list_block_counts.protected_domain_seq
		AND moved.first_seen = block.first_seen AND moved.seq = block.seq
		AND moved.status = threat_list_block_counts.status AND moved.severity = threat_list_block_counts.severity;
	UPDATE threat_list_blocks SET total = 4096 WHERE first_seen = NEW.first_seen AND seq = NEW.seq;
END;
--> statement-breakpoint
CREATE TRIGGER threat_list_block_removed AFTER UPDATE OF total ON threat_list_blocks
WHEN NEW.total = 0 AND NEW.first_seen > -9000000000000000 BEGIN
	DELETE FROM threat_list_block_counts
	WHERE protected_domain_seq IN (SELECT 0 UNION ALL SELECT seq FROM protected_domains)
		AND first_seen = NEW.first_seen AND seq = NEW.seq;
	DELETE FROM threat_list_blocks WHERE first_seen = NEW.first_seen AND seq = NEW.seq;
END;
--> statement-breakpoint
-- Changes all totals of a status change in one statement, and only if they change.
DROP TRIGGER threats_counted_on_update;
--> statement-breakpoint
CREATE TRIGGER threats_counted_on_update AFTER UPDATE OF protected_domain_seq, status, severity ON threats
WHEN OLD.status IS NOT NEW.status OR OLD.severity IS NOT NEW.severity
	OR OLD.protected_domain_seq IS NOT NEW.protected_domain_seq
BEGIN
	INSERT INTO threat_counts (protected_domain_seq, status, severity, total)
	VALUES (OLD.protected_domain_seq, OLD.status, OLD.severity, -1), (0, OLD.status, OLD.severity, -1),
		(NEW.protected_domain_seq, NEW.status, NEW.severity, 1), (0, NEW.status, NEW.severity, 1)
	ON CONFLICT DO UPDATE SET total = threat_counts.total + excluded.total;
END;
