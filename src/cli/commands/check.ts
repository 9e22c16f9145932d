import { isIP } from "node:net";
import type { App } from "../../app.ts";
import type { Endpoint } from "../../channels/webhook/endpoint.ts";
import type { Config } from "../../config/config.ts";
import { describeWarning } from "../../detection/brand/word-warnings.ts";
import { systemClock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import { visible } from "../../lib/safe-text.ts";
import { counted, grouped } from "../../lib/wording.ts";
import { chooseChromium } from "../../lookups/page/chromium.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { archiveResult } from "../check/archive.ts";
import { channelResults, describeFailing } from "../check/channels.ts";
import { endpointCertificateError, serverCertificate } from "../check/certificates.ts";
import type { CheckResult } from "../check/check-result.ts";
import { openForCheck } from "../check/open-for-check.ts";
import { checkSetup } from "../check/setup.ts";
import { nameOfSource } from "../../sources/source.ts";
import { describePause } from "../../sources/pauses/source-pauses.ts";
import { command } from "../terminal/command.ts";
import { FailedError } from "../terminal/failure.ts";
import { configFlag, jsonFlag, toggle } from "../terminal/flags.ts";
import { printJson } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

const adviceOffline =
  'set scan.resolvers, or scan.schedule = "" and lookups.enabled = false if there is no internet access';

export const checkCommand = command({
  name: "check",
  summary: "check the configuration, database, resolvers, Chromium, endpoints and channels",
  details: `Also checks the protected domains and their brand words, the feeds, the archive of names, certificates, the mail server (without
sending anything), and who can read and write the files. Changes nothing: it creates no file and leaves the database as it is. Exits with code 1 if something does not
work, and with code 2 if the configuration is invalid.`,
  flags: {
    ping: toggle("--ping", "send a webhook.ping to each endpoint"),
    json: jsonFlag,
    config: configFlag,
  },
  examples: [
    ["phishwatch check", "run all checks, for example before a restart"],
    ["phishwatch check --ping", "also check that endpoints respond"],
  ],
  async run({ options, terminal }) {
    const config = await loadConfiguration(options.config, terminal.env);
    const results: CheckResult[] = [];
    const report = (result: CheckResult) => {
      results.push(result);
      show(terminal, result, options.json);
    };
    report({ what: "configuration", state: "ok", detail: "valid" });
    for (const result of checkSetup(config, process.getuid?.())) report(result);
    const appliance = openForCheck(config, terminal, report);
    try {
      if (appliance !== undefined) {
        report(protectedDomains(appliance));
        for (const result of keysWithoutDomain(appliance)) report(result);
        for (const result of await brandWords(appliance)) report(result);
        for (const result of await sources(appliance)) report(result);
        report(await archiveResult(config));
        for (const result of archiveChecks(appliance)) report(result);
        for (const result of await resolvers(appliance, config)) report(result);
        report(await screenshots(config));
        for (const result of trapsDeployed(appliance)) report(result);
        for (const result of await certificates(config)) report(result);
        for (const endpoint of appliance.webhooks.endpoints.list())
          report(await endpointResult(appliance, endpoint, options.ping, config));
        for (const result of await channelResults(appliance, config)) report(result);
      }
    } finally {
      appliance?.close();
    }
    const failed = results.filter(({ state }) => state === "error").length;
    if (failed > 0) throw new FailedError(`${failed} of ${results.length} checks failed`);
  },
});

function show({ out }: Terminal, { what, state, detail }: CheckResult, json: boolean): void {
  if (json) printJson(out, { what, state, detail });
  else out.write(`${state.padEnd(7)}  ${visible(what, 200)}: ${visible(detail, 500)}\n`);
  out.flush();
}

function protectedDomains({ domains }: App): CheckResult {
  const enabled = domains.list().filter((domain) => domain.enabled);
  return enabled.length === 0
    ? { what: "protected domains", state: "warning", detail: "none, so nothing can match" }
    : { what: "protected domains", state: "ok", detail: String(enabled.length) };
}

/** Returns the valid keys that are bound to a domain that is not protected, and so see less than somebody expects. */
function keysWithoutDomain({ keys, domains }: App): CheckResult[] {
  return keys
    .list()
    .filter(({ revokedAt }) => revokedAt === null)
    .flatMap(({ name, origin, domains: bound }) => {
      const missing = bound.filter((domain) => domains.find(domain)?.enabled !== true);
      if (missing.length === 0) return [];
      const remedy =
        origin === "file" ? "protect it, or correct [[api_keys]]" : "protect it, or revoke the key";
      const detail = `bound to ${missing.join(", ")}, which is not protected, so it sees nothing of it; ${remedy}`;
      return [{ what: `API key ${name}`, state: "warning", detail }];
    });
}

/** Returns no result if there are no traps. */
function trapsDeployed({ traps }: App): CheckResult[] {
  const counts = traps.kinds.map((kind) => ({ kind: kind.name, count: traps.of(kind).list().length }));
  if (counts.every(({ count }) => count === 0)) return [];
  const totals = counts.map(({ kind, count }) => `${kind}s: ${count}`).join(", ");
  const detail = `${totals}; their URLs start with ${traps.publicUrl()}`;
  if (traps.publicUrl().startsWith("https:")) return [{ what: "traps", state: "ok", detail }];
  const remedy = "HTTPS pages do not load them: set traps.public_url to an https:// URL";
  return [{ what: "traps", state: "warning", detail: `${detail}; ${remedy}` }];
}

/** Returns the words that are not searched for everywhere. */
async function brandWords({ domains }: App): Promise<CheckResult[]> {
  return domains
    .matcher()
    .warnings()
    .map((warning) => ({
      what: `brand word "${warning.word}" of ${warning.domain}`,
      state: warning.advice === undefined ? "ok" : "warning",
      detail: describeWarning(warning),
    }));
}

async function sources({ sources: all }: App): Promise<CheckResult[]> {
  const results = all.map(async (source): Promise<CheckResult[]> => {
    const what = nameOfSource(source);
    const pause = source.pausing?.current();
    const paused: CheckResult[] =
      pause === undefined ? [] : [{ what, state: "warning", detail: describePause(pause) }];
    const result = await source.check();
    return result === null ? paused : [...paused, { what, state: result.level, detail: result.detail }];
  });
  return (await Promise.all(results)).flat();
}

/** Returns the checks of the archive that were interrupted or failed. The server continues them. */
function archiveChecks({ archiveChecks: checks }: App): CheckResult[] {
  return checks.list().flatMap(({ domain, state, namesChecked, namesTotal, error }): CheckResult[] => {
    if (state === "completed" || namesTotal === 0) return [];
    const what = `names seen before, for ${domain}`;
    const progress = `${grouped(namesChecked)} of ${counted(namesTotal, "name")} checked`;
    return state === "failed"
      ? [{ what, state: "warning", detail: `${progress}; the server retries: ${error}` }]
      : [{ what, state: "ok", detail: `${progress}; the server continues` }];
  });
}

/** A resolver that does not respond is not an error if nothing is looked up in the background. */
async function resolvers({ dns }: App, { scan, lookups }: Config): Promise<CheckResult[]> {
  const isUsed = scan.schedule !== null || lookups.enabled;
  const state = isUsed ? "error" : "warning";
  const remedy = isUsed ? `; ${adviceOffline}` : "";
  const checks = await dns.checkResolvers();
  return checks.map(({ server: { address, port }, verdict, detail }): CheckResult => {
    const what = `resolver ${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
    switch (verdict) {
      case "honest":
        return { what, state: "ok", detail };
      case "silent":
        return { what, state, detail: `${detail}${remedy}` };
      case "denying":
        return { what, state, detail: `${detail}, so scans and lookups do not believe it${remedy}` };
      case "lying": {
        const problem = `resolves names that do not exist (${detail}); scans do not use it`;
        return { what, state: "error", detail: problem };
      }
    }
  });
}

async function certificates({ server, webhooks: { caFile } }: Config): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const ofServer = await serverCertificate(server, systemClock.now());
  if (ofServer !== undefined) results.push(ofServer);
  const noCertificates = { caFile: null, clientCertFile: null, clientKeyFile: null };
  if (caFile !== null) {
    const error = endpointCertificateError(caFile, noCertificates);
    const state = error === undefined ? "ok" : "error";
    results.push({ what: "webhooks.ca_file", state, detail: error ?? "valid" });
  }
  return results;
}

async function screenshots({ scan, screenshots: { chromiumArgs: args } }: Config): Promise<CheckResult> {
  const what = "screenshots";
  const { screenshots: setting } = scan;
  if (setting === "off") return { what, state: "ok", detail: "off" };
  const isRoot = process.getuid?.() === 0;
  const choice = chooseChromium({ setting, args, which: (name) => Bun.which(name), isRoot });
  if ("path" in choice) return { what, state: "ok", detail: choice.path };
  return { what, state: setting === "auto" ? "warning" : "error", detail: `not available: ${choice.reason}` };
}

async function endpointResult(
  { webhooks }: App,
  endpoint: Endpoint,
  ping: boolean,
  config: Config,
): Promise<CheckResult> {
  const what = `endpoint ${endpoint.name}`;
  if (!endpoint.enabled) return { what, state: "warning", detail: "disabled" };
  const certificateError = endpointCertificateError(config.webhooks.caFile, endpoint);
  if (certificateError !== undefined) return { what, state: "error", detail: certificateError };
  if (ping) {
    const { failure, error, statusCode, durationMs } = await webhooks.ping(endpoint);
    if (failure !== null) return { what, state: "error", detail: error ?? failure };
    return { what, state: "ok", detail: `responded with ${statusCode} in ${durationMs} ms` };
  }
  try {
    const problem = await webhooks.checkDestination(endpoint.url);
    if (problem !== undefined) return { what, state: "error", detail: problem };
  } catch (error) {
    return { what, state: "error", detail: messageOf(error) };
  }
  return endpoint.consecutiveFailures === 0
    ? { what, state: "ok", detail: endpoint.url }
    : {
        what,
        state: "error",
        detail: describeFailing(endpoint),
      };
}
