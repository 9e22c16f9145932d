ALTER TABLE `threats` ADD `decided_at` integer;--> statement-breakpoint
ALTER TABLE `threats` ADD `name_server` text;--> statement-breakpoint
-- The history of a threat says when people closed it. An undone decision cannot be told from a reopened threat.
UPDATE threats SET decided_at = (
	SELECT min(at) FROM threat_history
	WHERE threat_seq = threats.seq AND field = 'status' AND after <> 'active'
		AND coalesce(via, 'console') NOT IN ('system', 'configuration')
) WHERE seq IN (SELECT threat_seq FROM threat_history WHERE field = 'status');--> statement-breakpoint
UPDATE threats SET name_server = coalesce(
	(
		SELECT min(server.value) FROM enrichments, json_each(enrichments.facts, '$.existence.nameServers') AS server
		WHERE enrichments.threat_seq = threats.seq
	),
	(SELECT min(server.value) FROM json_each(threats.whois, '$.name_servers') AS server)
) WHERE seq IN (SELECT threat_seq FROM enrichments) OR whois <> '{}';
