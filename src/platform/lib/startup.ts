/**
 * Start-up budget. `scripts/bench start` compares the time to the first 200 with a bare Bun server; it must not
 * get worse. Modules are loaded later than at the start only where that saves 5 ms of processor time or a megabyte. Only
 * the files in this list load any, as a test checks, with the savings of each group that paired measurements show:
 *
 * - the console, 45 ms: `app/app.ts`
 * - the code of other commands and threads, 20 ms: `app/thread-tasks.ts`, `cli/commands.ts`, `cli/commands/check.ts`,
 *   `cli/commands/serve.ts`
 * - detection's tables, word lists and the list of public suffixes, until the first name or page, 17 ms:
 *   `engines/archive/search/query.ts`, `facts/inspection/open-inspection.ts`,
 *   `facts/inspection/originals/brands.ts`, `facts/inspection/originals/originals.ts`, `intake/scans/run-scan.ts`,
 *   `intake/sources/archive-checks/check-runner.ts`, `messaging/subscriptions/composing/wording.ts`,
 *   `platform/lib/host-names.ts`, `threats/domains/assess.ts`, `threats/domains/matcher-cache.ts`
 * - readers and writers of pages, documents, mail and backups, 14 ms: `facts/lookups/page/page-reader.ts`,
 *   `intake/sources/emails/email-list.ts`, `messaging/channels/email/letter.ts`, `messaging/channels/email/smtp.ts`,
 *   `operations/backups/running/backups.ts`, `response/cases/takedowns/email.ts`,
 *   `response/traps/kinds/honeytoken/presentation.ts`
 * - certificate logs, 12 ms: `intake/sources/all/open-sources.ts`
 * - the streams of standard output and error, 8 ms: `cli/terminal/terminal.ts`
 * - the command line, for `version`, 6 ms: `main.ts`
 * - the index of threats, 6 ms: `threats/index/lazy/open-threat-index.ts`
 * - the appliance, until a sandbox listens, 6 ms: `sandbox/instance/instance.ts`, `sandbox/sandbox.ts`
 * - the manual and commander, until help or incorrect usage, 1.7 MB: `cli/commander.ts`, `cli/commands/completion.ts`,
 *   `cli/program.ts`, `web/api/site/docs-pages.ts`
 */

/** Returns a function that creates a value at its first call and returns the same value from then on. */
export function lazy<T extends object>(create: () => T): () => T {
  let created: T | undefined;
  return () => (created ??= create());
}

/**
 * Ends the start: from now on, frequently executed code is compiled as usual. The executable starts with a JIT
 * that waits (`--compile-jit-policy` in `scripts/build`), because start-up code runs once.
 */
export function endStartup(): void {
  Bun.unsafe.setJITPolicy(1);
}
