/**
 * Start-up budget, and the one way to defer work. `scripts/bench start` compares the time to the first 200 with that
 * of a bare Bun server; it must not get worse. Only what a paired measurement shows to be worth 1 ms or more is
 * deferred:
 *
 * | Deferred                                         | Saves at start (CPU) |
 * | ------------------------------------------------ | -------------------- |
 * | the console (`app.ts`)                           | 23 ms                |
 * | the appliance, until a sandbox listens (`sandbox/`) | 6 ms              |
 * | detection's tables (`app.ts`, `domains/`, `scans/`) | 21 ms             |
 * | the code of other commands (`cli/commands.ts`)   | 20 ms                |
 * | the command line, for `version` (`main.ts`)      | 6 ms                 |
 * | commander, until help or incorrect usage (`cli/program.ts`) | 3 ms      |
 * | the streams of standard output and error (`cli/terminal/`) | 8 ms       |
 * | background work, until the first requests (`app.ts`) | 25 ms            |
 * | the TOML parser that knows positions (`config/`) | 9 ms                 |
 * | the list of public suffixes (`lib/host-names.ts`), networks of hosting services (`lookups/dns`) | 4 ms together |
 * | division into characters (`notices/`), the manual (`api/site/`) | 3 ms together |
 * | readers and writers of documents: pages (`lookups/page`), lists (`sources/imports`), Word and PDF (`traps/`) | 10 ms together |
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
