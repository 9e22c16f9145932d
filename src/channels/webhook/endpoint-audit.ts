import type { AuditDetail } from "../../access/audit/actions.ts";
import { configurationFile, type Actor } from "../../access/audit/actor.ts";
import type { AuditLog } from "../../access/audit/audit-log.ts";
import { toIsoTime } from "../../lib/clock.ts";
import type { Endpoint } from "./endpoint.ts";

export type EndpointAudit = ReturnType<typeof createEndpointAudit>;

/** Writes audit entries for changes of webhook endpoints, in the caller's transaction. */
export function createEndpointAudit(auditLog: Pick<AuditLog, "record">) {
  function changed(by: Actor, before: Endpoint, after: Endpoint): void {
    const names = comparedSettings.filter(
      (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
    );
    if (names.length > 0)
      auditLog.record(by, "webhook.change", subjectOf(after), { changed: names, ...contentOf(after) });
  }

  function switched(by: Actor, before: Endpoint, after: Endpoint): void {
    if (before.enabled !== after.enabled)
      auditLog.record(by, after.enabled ? "webhook.enable" : "webhook.disable", subjectOf(after));
  }

  return {
    added: (by: Actor, endpoint: Endpoint) =>
      auditLog.record(by, "webhook.add", subjectOf(endpoint), contentOf(endpoint)),
    changed,
    switched,
    removed: (by: Actor, endpoint: Endpoint) =>
      auditLog.record(by, "webhook.remove", subjectOf(endpoint), contentOf(endpoint)),
    /** @param given whether the secret was chosen by a person instead of generated */
    rotated(by: Actor, endpoint: Endpoint, given: boolean) {
      const { previousSecretUntil: until } = endpoint;
      const detail = { given, previous_signs_until: until === null ? null : toIsoTime(until) };
      auditLog.record(by, "webhook.rotate", subjectOf(endpoint), detail);
    },
    rotationEnded: (by: Actor, endpoint: Endpoint) =>
      auditLog.record(by, "webhook.end_rotation", subjectOf(endpoint)),
    tested: (by: Actor, endpoint: Endpoint) => auditLog.record(by, "webhook.test", subjectOf(endpoint)),
    /** Records what the configuration file changed. */
    declared(before: Endpoint | undefined, after: Endpoint) {
      const by = configurationFile;
      if (before === undefined) return auditLog.record(by, "webhook.add", subjectOf(after), contentOf(after));
      if (before.secret !== after.secret) auditLog.record(by, "webhook.rotate", subjectOf(after));
      changed(by, before, after);
      switched(by, before, after);
    },
  };
}

const comparedSettings = [
  "url",
  "events",
  "headers",
  "concurrency",
  "ratePerSecond",
  "caFile",
  "clientCertFile",
  "clientKeyFile",
  "origin",
] as const;

function subjectOf({ id, name }: Endpoint): string {
  return `${name} (${id})`;
}

/** Leaves out what may be secret: the path of the URL and the values of headers. */
function contentOf({ url, events, headers }: Endpoint): AuditDetail {
  return { host: new URL(url).host, events, headers: Object.keys(headers) };
}
