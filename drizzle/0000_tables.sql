CREATE TABLE `api_keys` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`hash` blob NOT NULL,
	`prefix` text NOT NULL,
	`plan` text NOT NULL,
	`scopes` text NOT NULL,
	`domains` text NOT NULL,
	`origin` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_id_unique` ON `api_keys` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash_unique` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE TABLE `settings` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `protected_domains` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`domain` text NOT NULL,
	`keywords` text NOT NULL,
	`allow` text NOT NULL,
	`origin` text NOT NULL,
	`enabled` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `protected_domains_id_unique` ON `protected_domains` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `protected_domains_domain_unique` ON `protected_domains` (`domain`);--> statement-breakpoint
CREATE TABLE `enrichments` (
	`threat_seq` integer PRIMARY KEY NOT NULL,
	`rank` integer NOT NULL,
	`due_at` integer NOT NULL,
	`step` integer NOT NULL,
	`failures` integer NOT NULL,
	`looked_at` integer,
	`facts` text NOT NULL,
	`screenshot_rank` integer,
	`screenshot_due_at` integer,
	`screenshot_failures` integer NOT NULL,
	FOREIGN KEY (`threat_seq`) REFERENCES `threats`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `enrichments_due` ON `enrichments` (`rank`,`due_at`);--> statement-breakpoint
CREATE INDEX `enrichments_screenshot_due` ON `enrichments` (`screenshot_rank`,`screenshot_due_at`) WHERE "enrichments"."screenshot_rank" is not null;--> statement-breakpoint
CREATE TABLE `events` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`type` text NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	`dispatched_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `events_id_unique` ON `events` (`id`);--> statement-breakpoint
CREATE INDEX `events_undispatched` ON `events` (`seq`) WHERE "events"."dispatched_at" is null;--> statement-breakpoint
CREATE INDEX `events_created_at` ON `events` (`created_at`);--> statement-breakpoint
CREATE TABLE `scans` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`trigger` text NOT NULL,
	`protected_domains` text NOT NULL,
	`status` text NOT NULL,
	`cancel_requested` integer DEFAULT false NOT NULL,
	`started_at` integer NOT NULL,
	`completed_at` integer,
	`planned` integer DEFAULT 0 NOT NULL,
	`candidates` integer DEFAULT 0 NOT NULL,
	`resolving` integer DEFAULT 0 NOT NULL,
	`unknown` integer DEFAULT 0 NOT NULL,
	`threats_found` integer DEFAULT 0 NOT NULL,
	`threats_created` integer DEFAULT 0 NOT NULL,
	`error` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `scans_id_unique` ON `scans` (`id`);--> statement-breakpoint
CREATE INDEX `scans_running` ON `scans` (`seq`) WHERE "scans"."status" = 'running';--> statement-breakpoint
CREATE TABLE `feed_files` (
	`feed` text NOT NULL,
	`path` text NOT NULL,
	`bytes` integer NOT NULL,
	`modified_at` integer NOT NULL,
	`position` integer NOT NULL,
	`lines` integer NOT NULL,
	`fingerprint` text,
	`invalid` integer NOT NULL,
	`matched` integer NOT NULL,
	`created` integer NOT NULL,
	`started_at` integer NOT NULL,
	`completed_at` integer,
	`error` text,
	PRIMARY KEY(`feed`, `path`)
);
--> statement-breakpoint
CREATE TABLE `threat_counts` (
	`protected_domain_seq` integer NOT NULL,
	`status` text NOT NULL,
	`severity` text NOT NULL,
	`total` integer NOT NULL,
	PRIMARY KEY(`protected_domain_seq`, `status`, `severity`)
);
--> statement-breakpoint
CREATE TABLE `threat_history` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`threat_seq` integer NOT NULL,
	`at` integer NOT NULL,
	`field` text NOT NULL,
	`before` text,
	`after` text,
	FOREIGN KEY (`threat_seq`) REFERENCES `threats`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `threat_history_threat` ON `threat_history` (`threat_seq`);--> statement-breakpoint
CREATE TABLE `threats` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`protected_domain_seq` integer NOT NULL,
	`domain` text NOT NULL,
	`type` text NOT NULL,
	`status` text NOT NULL,
	`severity` text NOT NULL,
	`similarity` real NOT NULL,
	`source` text NOT NULL,
	`reasons` text NOT NULL,
	`severity_reasons` text NOT NULL,
	`first_seen` integer NOT NULL,
	`created_at` integer NOT NULL,
	`status_changed_at` integer NOT NULL,
	`ip_address` text,
	`registrar` text,
	`whois` text NOT NULL,
	`screenshot_token` text NOT NULL,
	FOREIGN KEY (`protected_domain_seq`) REFERENCES `protected_domains`(`seq`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `threats_id_unique` ON `threats` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `threats_pair` ON `threats` (`protected_domain_seq`,`domain`);--> statement-breakpoint
CREATE INDEX `threats_all` ON `threats` (`first_seen`);--> statement-breakpoint
CREATE INDEX `threats_status` ON `threats` (`status`,`first_seen`);--> statement-breakpoint
CREATE INDEX `threats_severity` ON `threats` (`severity`,`first_seen`);--> statement-breakpoint
CREATE INDEX `threats_status_severity` ON `threats` (`status`,`severity`,`first_seen`);--> statement-breakpoint
CREATE INDEX `threats_domain` ON `threats` (`protected_domain_seq`,`first_seen`);--> statement-breakpoint
CREATE INDEX `threats_domain_status` ON `threats` (`protected_domain_seq`,`status`,`first_seen`);--> statement-breakpoint
CREATE INDEX `threats_domain_severity` ON `threats` (`protected_domain_seq`,`severity`,`first_seen`);--> statement-breakpoint
CREATE INDEX `threats_domain_status_severity` ON `threats` (`protected_domain_seq`,`status`,`severity`,`first_seen`);--> statement-breakpoint
CREATE TABLE `deliveries` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`event_seq` integer NOT NULL,
	`endpoint_seq` integer NOT NULL,
	`status` text NOT NULL,
	`attempts` integer NOT NULL,
	`next_attempt_at` integer,
	`created_at` integer NOT NULL,
	`completed_at` integer,
	FOREIGN KEY (`event_seq`) REFERENCES `events`(`seq`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`endpoint_seq`) REFERENCES `webhook_endpoints`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_id_unique` ON `deliveries` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_pair` ON `deliveries` (`event_seq`,`endpoint_seq`);--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`endpoint_seq`,`next_attempt_at`) WHERE "deliveries"."status" = 'pending';--> statement-breakpoint
CREATE INDEX `deliveries_endpoint` ON `deliveries` (`endpoint_seq`,`status`);--> statement-breakpoint
CREATE TABLE `delivery_attempts` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`delivery_seq` integer NOT NULL,
	`started_at` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`phases` text NOT NULL,
	`address` text,
	`status_code` integer,
	`failure` text,
	`error` text,
	`answer` text NOT NULL,
	FOREIGN KEY (`delivery_seq`) REFERENCES `deliveries`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `delivery_attempts_delivery` ON `delivery_attempts` (`delivery_seq`);--> statement-breakpoint
CREATE TABLE `webhook_endpoints` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`secret` text NOT NULL,
	`previous_secret` text,
	`previous_secret_until` integer,
	`headers` text NOT NULL,
	`concurrency` integer,
	`rate_per_second` real,
	`ca_file` text,
	`client_cert_file` text,
	`client_key_file` text,
	`origin` text NOT NULL,
	`enabled` integer NOT NULL,
	`disabled_reason` text,
	`disabled_at` integer,
	`consecutive_failures` integer NOT NULL,
	`failing_since` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_endpoints_id_unique` ON `webhook_endpoints` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_endpoints_name_unique` ON `webhook_endpoints` (`name`);