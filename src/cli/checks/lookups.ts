import { isIP } from "node:net";
import type { App } from "../../app.ts";
import type { Config } from "../../config/config.ts";
import { counted } from "../../lib/wording.ts";
import { chooseChromium, type ChromiumChoice } from "../../lookups/browser/choose-chromium.ts";
import type { CheckResult } from "../check-results/check-result.ts";

const adviceOffline =
  'set scan.resolvers, or scan.schedule = "" and lookups.enabled = false if there is no internet access';

/** A resolver that does not respond is not an error if nothing is looked up in the background. */
export async function resolvers(
  { dns }: Pick<App, "dns">,
  { scan, lookups }: Pick<Config, "scan" | "lookups">,
  offline: boolean,
): Promise<CheckResult[]> {
  const check = "resolvers";
  if (offline) {
    const count = scan.resolvers.length;
    const detail =
      count === 0 ? "those of the system were not asked" : `${counted(count, "resolver")} not asked`;
    return [{ check, what: "resolvers", state: "skipped", detail }];
  }
  const isUsed = scan.schedule !== null || lookups.enabled;
  const state = isUsed ? "error" : "warning";
  const setting = "scan.resolvers";
  const change = isUsed ? adviceOffline : "set it to resolvers that respond, before scans are turned on";
  const checks = await dns.checkResolvers();
  return checks.map(({ server: { address, port }, verdict, detail }): CheckResult => {
    const base = {
      check,
      what: `resolver ${isIP(address) === 6 ? `[${address}]` : address}:${port}`,
    } as const;
    switch (verdict) {
      case "honest":
        return { ...base, state: "ok", detail };
      case "silent":
        return { ...base, state, detail, setting, change };
      case "denying":
        return {
          ...base,
          state,
          detail: `${detail}, so scans and lookups do not believe it`,
          setting,
          change,
        };
      case "lying": {
        const problem = `resolves names that do not exist (${detail}); scans do not use it`;
        const remedy = 'set it to resolvers that do not filter or redirect, such as ["192.0.2.53"]';
        return { ...base, state: "error", detail: problem, setting, change: remedy };
      }
    }
  });
}

/** Returns the Chromium that a server would use. */
export function chromiumOf({
  scan: { screenshots: setting },
  screenshots: { chromiumArgs: args },
}: Pick<Config, "scan" | "screenshots">): ChromiumChoice {
  const isRoot = process.getuid?.() === 0;
  return chooseChromium({ setting, args, which: (name) => Bun.which(name), isRoot });
}

export function screenshots(config: Pick<Config, "scan" | "screenshots">): CheckResult {
  const setting = config.scan.screenshots;
  const base = { check: "screenshots", what: "screenshots" } as const;
  if (setting === "off") return { ...base, state: "ok", detail: "off" };
  const choice = chromiumOf(config);
  if ("reason" in choice)
    return {
      ...base,
      state: setting === "auto" ? "warning" : "error",
      detail: `not available: ${choice.reason}`,
      setting: "scan.screenshots",
      change: 'install Chromium and set it to "auto" or to its path, or set it to "off"',
    };
  if (choice.args.includes("--no-sandbox"))
    return {
      ...base,
      state: "warning",
      detail: `${choice.path} runs without its sandbox, although it opens hostile pages`,
      setting: "screenshots.chromium_args",
      change: 'remove "--no-sandbox", unless a container is the sandbox',
    };
  return { ...base, state: "ok", detail: choice.path };
}

/** Returns no result if there are no traps. */
export function trapsDeployed({ traps }: Pick<App, "traps">): CheckResult[] {
  const counts = traps.kinds.map((kind) => ({ kind: kind.name, count: traps.of(kind).list().length }));
  if (counts.every(({ count }) => count === 0)) return [];
  const totals = counts.map(({ kind, count }) => `${kind}s: ${count}`).join(", ");
  const base = { check: "traps", what: "traps" } as const;
  const detail = `${totals}; their URLs start with ${traps.publicUrl()}`;
  if (traps.publicUrl().startsWith("https:")) return [{ ...base, state: "ok", detail }];
  return [
    {
      ...base,
      state: "warning",
      detail: `${detail}; HTTPS pages do not load them: set traps.public_url to an https:// URL`,
      setting: "traps.public_url",
      change: 'set it to a URL such as "https://phishwatch.example.com"',
    },
  ];
}
