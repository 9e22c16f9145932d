import { isIPv6 } from "node:net";
import type { App } from "../../app/app.ts";
import type { Config } from "../../platform/config/config.ts";
import { buildInfo } from "../../platform/lib/build-info.ts";
import type { Log } from "../../platform/lib/log.ts";

/** Logs one line about the server that has started: which version it is, where it listens, and what it works on. */
export function logStarted(
  { domains, server, webhooks }: Pick<App, "domains" | "server" | "webhooks">,
  config: Config,
  log: Log,
): void {
  const { version, commit } = buildInfo;
  log.event("server.started", {
    version,
    commit,
    listen: addresses(server, config),
    url: server.publicUrl,
    configuration: config.source?.path,
    database: config.storage.path,
    domainCount: domains.list().filter(({ enabled }) => enabled).length,
    feedCount: config.feeds.length,
    endpointCount: webhooks.endpoints.list().filter(({ enabled }) => enabled).length,
  });
}

/**
 * Returns what to print once the server is ready: its URL, and where it listens if the URL does not say that, because a
 * proxy is in front or because it listens on all interfaces.
 */
export function readyText(server: App["server"], config: Config): string {
  const [listen] = addresses(server, config);
  const ready = `phishwatch is ready on ${server.publicUrl}\n`;
  return URL.parse(server.publicUrl)?.host === listen ? ready : `${ready}It listens on ${listen}.\n`;
}

/** Returns the addresses of the listeners: of the server, and of the traps if they have one of their own. */
function addresses(server: App["server"], { server: { host }, traps }: Config): string[] {
  const text = (name: string, port: number | undefined) =>
    `${isIPv6(name) ? `[${name}]` : name}:${port ?? "closed"}`;
  const main = text(host, server.port);
  return traps.listen === null ? [main] : [main, text(traps.listen.host, server.trapsPort)];
}
