ALTER TABLE `threats` ADD `verified` integer DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE threats SET verified = 1
WHERE clone_seen_at IS NOT NULL OR type = 'cloned_site' OR seq IN (
  SELECT threat_seq FROM enrichments WHERE json_extract(facts, '$.existence.exists') = 'yes'
);
