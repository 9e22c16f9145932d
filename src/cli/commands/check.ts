import { describeWarning } from "../../detection/brand/word-warnings.ts";
import { chooseChromium } from "../../lookups/page/chromium.ts";
import { endpointCertificateFault, serverCertificateFault } from "./check-files.ts";
import { isIP } from "node:net";
import type { Config } from "../../config/config.ts";
import type { Endpoint } from "../../channels/webhook/endpoint.ts";
import { visible } from "../../lib/safe-text.ts";
import { messageOf } from "../../lib/errors.ts";
import { counted } from "../../lib/wording.ts";
import type { App } from "../../app.ts";
import { command } from "../terminal/command.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { FailedError } from "../terminal/failure.ts";
import { configFlag, jsonFlag, toggle } from "../terminal/flags.ts";
import { printJson } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { open } from "../appliance/with-appliance.ts";

/** A name that every resolver with a way to the root servers knows. */
const knownName = "com";
const adviceOffline = 'set scan.resolvers, or where there is no internet scan.schedule = ""';

interface Finding {
  what: string;
  /** `note`: works, but something is left to do. */
  state: "ok" | "note" | "fault";
  detail: string;
}

export const checkCommand = command({
  name: "check",
  summary: "say what works and what does not",
  details: `Looks at the configuration, the database, the protected domains and their brand words, the feeds, the resolvers of scans, Chromium,
the certificates and the endpoints. Ends with code 1 when something does not work, with 2 when the configuration is faulty.`,
  flags: {
    ping: toggle("--ping", "send each endpoint a webhook.ping"),
    json: jsonFlag,
    config: configFlag,
  },
  examples: [
    ["phishwatch check", "after a change, before a restart"],
    ["phishwatch check --ping", "and whether the endpoints answer"],
  ],
  async run({ options, terminal }) {
    const config = await loadConfiguration(options.config, terminal.env);
    const findings: Finding[] = [];
    const found = (finding: Finding) => {
      findings.push(finding);
      show(terminal, finding, options.json);
    };
    found({ what: "configuration", state: "ok", detail: "no faults" });
    const appliance = await openDatabaseOf(config, terminal, found);
    try {
      if (appliance !== undefined) {
        found(protectedDomains(appliance));
        for (const finding of await brandWords(appliance)) found(finding);
        for (const finding of await sources(appliance)) found(finding);
        for (const finding of await resolvers(appliance, config)) found(finding);
        found(await screenshots(config));
        for (const finding of trapsFinding(appliance)) found(finding);
        for (const finding of await certificates(config)) found(finding);
        for (const endpoint of appliance.webhooks.endpoints.list())
          found(await endpointFinding(appliance, endpoint, options.ping, config));
      }
    } finally {
      appliance?.close();
    }
    const faults = findings.filter(({ state }) => state === "fault").length;
    if (faults > 0) throw new FailedError(`${faults} of ${findings.length} checks found a fault`);
  },
});

function show({ out }: Terminal, { what, state, detail }: Finding, json: boolean): void {
  if (json) printJson(out, { what, state, detail });
  else out.write(`${state.padEnd(5)}  ${visible(what, 200)}: ${visible(detail, 500)}\n`);
  out.flush();
}

async function openDatabaseOf(
  config: Config,
  terminal: Terminal,
  found: (finding: Finding) => void,
): Promise<App | undefined> {
  try {
    const appliance = await open(config, terminal, "warn");
    const [first] = appliance.database.sqlite
      .query<{ quick_check: string }, []>("PRAGMA quick_check(1)")
      .all();
    const detail = first?.quick_check ?? "no answer";
    found({
      what: "database",
      state: detail === "ok" ? "ok" : "fault",
      detail: `${config.storage.path}: ${detail}`,
    });
    return appliance;
  } catch (error) {
    found({ what: "database", state: "fault", detail: messageOf(error) });
    return undefined;
  }
}

function protectedDomains({ domains }: App): Finding {
  const enabled = domains.list().filter((domain) => domain.enabled);
  return enabled.length === 0
    ? { what: "protected domains", state: "note", detail: "none: nothing can be found" }
    : { what: "protected domains", state: "ok", detail: String(enabled.length) };
}

/** Reports nothing if there are no traps. */
function trapsFinding({ traps }: App): Finding[] {
  const counts = traps.kinds.map((kind) => ({ kind: kind.name, count: traps.of(kind).list().length }));
  if (counts.every(({ count }) => count === 0)) return [];
  const totals = counts.map(({ kind, count }) => `${kind}s: ${count}`).join(", ");
  const detail = `${totals}; visitors are sent to ${traps.publicUrl()}`;
  if (traps.publicUrl().startsWith("https:")) return [{ what: "traps", state: "ok", detail }];
  const remedy = "pages over HTTPS load nothing from there: set traps.public_url to an https:// address";
  return [{ what: "traps", state: "note", detail: `${detail}; ${remedy}` }];
}

/** Those that are not looked for everywhere. */
async function brandWords({ domains }: App): Promise<Finding[]> {
  return domains
    .matcher()
    .warnings()
    .map((remark) => ({
      what: `brand word "${remark.word}" of ${remark.domain}`,
      state: remark.advice === undefined ? "ok" : "note",
      detail: describeWarning(remark),
    }));
}

async function sources({ sources: all }: App): Promise<Finding[]> {
  const findings = all.map(async (source): Promise<Finding[]> => {
    const result = await source.check();
    if (result === null) return [];
    return [{ what: `${source.kind} ${source.name}`, state: states[result.level], detail: result.detail }];
  });
  return (await Promise.all(findings)).flat();
}

const states = { ok: "ok", warning: "note", error: "fault" } as const;

/** A resolver that is silent stops nothing where no scan is planned. */
async function resolvers({ scans, dns }: App, { scan }: Config): Promise<Finding[]> {
  const bad = scan.schedule === null ? "note" : "fault";
  const wayOut = scan.schedule === null ? "" : `; ${adviceOffline}`;
  const checks = await scans.checkResolvers();
  const findings = checks.map(({ server: { address, port }, verdict, detail }): Finding => {
    const what = `resolver ${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
    if (verdict === "honest") return { what, state: "ok", detail };
    if (verdict === "silent") return { what, state: bad, detail: `${detail}${wayOut}` };
    return {
      what,
      state: "fault",
      detail: `knows names that do not exist (${detail}); scans do not ask it`,
    };
  });
  if (!checks.some(({ verdict }) => verdict === "honest")) return findings;
  if ((await dns.query(knownName, "NS")).outcome !== "nxdomain") return findings;
  const detail = `say that not even "${knownName}" exists, so no look-alike does either${wayOut}`;
  return [...findings, { what: "resolvers", state: bad, detail }];
}

async function certificates({ server, webhooks: { caFile } }: Config): Promise<Finding[]> {
  const findings: Finding[] = [];
  const add = (what: string, fault: string | undefined) =>
    findings.push({ what, state: fault === undefined ? "ok" : "fault", detail: fault ?? "can be used" });
  if (server.tls !== null) add("server certificate", await serverCertificateFault(server));
  const noneOfItsOwn = { caFile: null, clientCertFile: null, clientKeyFile: null };
  if (caFile !== null) add("webhooks.ca_file", endpointCertificateFault(caFile, noneOfItsOwn));
  return findings;
}

async function screenshots({ scan, screenshots: { chromiumArgs: args } }: Config): Promise<Finding> {
  const what = "screenshots";
  const { screenshots: setting } = scan;
  if (setting === "off") return { what, state: "ok", detail: "off" };
  const isRoot = process.getuid?.() === 0;
  const choice = chooseChromium({ setting, args, which: (name) => Bun.which(name), isRoot });
  if ("path" in choice) return { what, state: "ok", detail: choice.path };
  return { what, state: setting === "auto" ? "note" : "fault", detail: `none: ${choice.reason}` };
}

async function endpointFinding(
  { webhooks }: App,
  endpoint: Endpoint,
  ping: boolean,
  config: Config,
): Promise<Finding> {
  const what = `endpoint ${endpoint.name}`;
  if (!endpoint.enabled) return { what, state: "note", detail: "disabled" };
  const fault = endpointCertificateFault(config.webhooks.caFile, endpoint);
  if (fault !== undefined) return { what, state: "fault", detail: fault };
  if (ping) {
    const { failure, error, statusCode, durationMs } = await webhooks.ping(endpoint);
    if (failure !== null) return { what, state: "fault", detail: error ?? failure };
    return { what, state: "ok", detail: `answered ${statusCode} in ${durationMs} ms` };
  }
  try {
    const remark = await webhooks.checkDestination(endpoint.url);
    if (remark !== undefined) return { what, state: "fault", detail: remark };
  } catch (error) {
    return { what, state: "fault", detail: messageOf(error) };
  }
  return endpoint.consecutiveFailures === 0
    ? { what, state: "ok", detail: endpoint.url }
    : { what, state: "fault", detail: `${counted(endpoint.consecutiveFailures, "attempt")} in a row failed` };
}
