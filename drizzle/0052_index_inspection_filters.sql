DROP INDEX `inspections_imitations`;--> statement-breakpoint
CREATE INDEX `inspections_imitates` ON `inspections` (`imitates`) WHERE "inspections"."imitates" is not null;--> statement-breakpoint
CREATE INDEX `inspections_source` ON `inspections` (`source`);--> statement-breakpoint
CREATE INDEX `inspections_domain` ON `inspections` (`protected_domain`) WHERE "inspections"."protected_domain" is not null;