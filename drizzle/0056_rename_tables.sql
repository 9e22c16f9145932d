-- The tables take the names that the code uses. SQLite renames them in triggers and references, too.
ALTER TABLE `threat_touches` RENAME TO `threat_change_log`;
--> statement-breakpoint
ALTER TABLE `triage_acts` RENAME TO `triage_batches`;
--> statement-breakpoint
ALTER TABLE `registration_answers` RENAME TO `registration_responses`;
--> statement-breakpoint
ALTER TABLE `trap_hits` RENAME TO `trap_visits`;
--> statement-breakpoint
ALTER TABLE `trap_counts` RENAME TO `trap_visit_totals`;
--> statement-breakpoint
ALTER TABLE `notification_queue` RENAME TO `queued_changes`;
--> statement-breakpoint
ALTER TABLE `notification_incidents` RENAME TO `open_incidents`;
--> statement-breakpoint
ALTER TABLE `triage_steps` RENAME COLUMN `act_seq` TO `batch_seq`;
--> statement-breakpoint
DROP INDEX `trap_hits_trap`;
--> statement-breakpoint
DROP INDEX `trap_hits_visitor`;
--> statement-breakpoint
DROP INDEX `trap_hits_last_at`;
--> statement-breakpoint
DROP INDEX `trap_hits_raised`;
--> statement-breakpoint
DROP INDEX `trap_hits_threat`;
--> statement-breakpoint
DROP INDEX `notification_queue_subscription`;
--> statement-breakpoint
DROP INDEX `notification_queue_urgent`;
--> statement-breakpoint
DROP INDEX `notification_queue_threat`;
--> statement-breakpoint
DROP INDEX `triage_acts_at`;
--> statement-breakpoint
DROP INDEX `triage_acts_actor`;
--> statement-breakpoint
CREATE INDEX `trap_visits_trap` ON `trap_visits` (`trap_id`);
--> statement-breakpoint
CREATE INDEX `trap_visits_visitor` ON `trap_visits` (`trap_id`,`visitor`,`first_at`);
--> statement-breakpoint
CREATE INDEX `trap_visits_last_at` ON `trap_visits` (`last_at`);
--> statement-breakpoint
CREATE INDEX `trap_visits_raised` ON `trap_visits` (`trap_id`,`host`) WHERE "trap_visits"."threat_id" is not null;
--> statement-breakpoint
CREATE INDEX `trap_visits_threat` ON `trap_visits` (`threat_id`) WHERE "trap_visits"."threat_id" is not null;
--> statement-breakpoint
CREATE INDEX `queued_changes_subscription` ON `queued_changes` (`subscription_seq`);
--> statement-breakpoint
CREATE INDEX `queued_changes_urgent` ON `queued_changes` (`subscription_seq`,`urgent_at`) WHERE "queued_changes"."urgent_at" is not null;
--> statement-breakpoint
CREATE INDEX `queued_changes_threat` ON `queued_changes` (`threat_seq`) WHERE "queued_changes"."threat_seq" is not null;
--> statement-breakpoint
CREATE INDEX `triage_batches_at` ON `triage_batches` (`at`);
--> statement-breakpoint
CREATE INDEX `triage_batches_actor` ON `triage_batches` (`via`,`actor_name`);
--> statement-breakpoint
DROP TRIGGER threat_touches_trimmed;
--> statement-breakpoint
CREATE TRIGGER threat_change_log_trimmed AFTER INSERT ON threat_change_log WHEN NEW.version % 1024 = 0 BEGIN
	DELETE FROM threat_change_log WHERE version <= NEW.version - 100000;
END;