import type { Config } from "../platform/config/config.ts";
import { type InspectionDependencies, openInspection } from "../facts/inspection/open-inspection.ts";
import { buildInfo } from "../platform/lib/build-info.ts";
import { openDns } from "../facts/lookups/dns/existence.ts";
import { openLookups } from "../facts/lookups/open-lookups.ts";
import { createTurns } from "../platform/network/turns.ts";
import type { Environment } from "./environment.ts";

/** Opens DNS, the lookups, and the inspection of pages. */
export function openLookupServices(
  environment: Environment,
  services: Omit<
    InspectionDependencies,
    "clock" | "log" | "lookUpExistence" | "lookups" | "replaced" | "startWorker" | "turns"
  > & { config: Config },
) {
  const { clock, dns: given, fillRandom, log, startWorker } = environment;
  const { config } = services;
  const turns = createTurns();
  const { dns, lookUp: lookUpExistence } = openDns({ clock, config, fillRandom, given });
  const { version } = buildInfo;
  const lookups = openLookups({ environment, machine, config, dns, lookUpExistence, turns, version });
  const inspection = openInspection({
    ...services,
    clock,
    log,
    lookUpExistence,
    lookups,
    replaced: environment.inspection,
    // Another thread would use the resolvers of the configuration.
    startWorker: given === undefined ? startWorker : undefined,
    turns,
  });
  return { dns, inspection, lookUp: lookUpExistence, lookups, turns };
}

/** Properties of the machine that decide whether a browser can be run. */
const machine = {
  isRoot: process.getuid?.() === 0,
  /** Finds a program on the PATH. */
  which: (name: string): string | null => Bun.which(name),
};
