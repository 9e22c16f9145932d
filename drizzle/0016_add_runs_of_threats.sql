ALTER TABLE `list_imports` ADD `channel` text DEFAULT 'console' NOT NULL;--> statement-breakpoint
ALTER TABLE `list_imports` ADD `source` text DEFAULT 'feed' NOT NULL;--> statement-breakpoint
ALTER TABLE `threats` ADD `import_seq` integer;--> statement-breakpoint
ALTER TABLE `threats` ADD `scan_seq` integer;--> statement-breakpoint
CREATE INDEX `threats_import` ON `threats` (`import_seq`) WHERE "threats"."import_seq" is not null;--> statement-breakpoint
CREATE INDEX `threats_scan` ON `threats` (`scan_seq`) WHERE "threats"."scan_seq" is not null;