ALTER TABLE `threat_history` ADD `via` text;--> statement-breakpoint
ALTER TABLE `threat_history` ADD `actor_name` text;--> statement-breakpoint
ALTER TABLE `threat_history` ADD `actor_address` text;