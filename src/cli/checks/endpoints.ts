import type { App } from "../../app/app.ts";
import type { Endpoint } from "../../messaging/channels/webhook/endpoint.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { messageOf } from "../../platform/lib/errors.ts";
import { certificateFile, endpointCertificateError } from "./certificates.ts";
import { describeFailing, placeOf } from "./channels.ts";
import type { CheckResult } from "../check-results/check-result.ts";
import { shellWord } from "../../platform/lib/shell-word.ts";

export interface EndpointChecks {
  /** Sends a webhook.ping to each enabled endpoint. */
  ping: boolean;
  /** Resolves no name and connects to nothing. */
  offline: boolean;
}

/** Checks all webhook endpoints at once, and the authority that is trusted for all of them. */
export async function endpointResults(
  app: Pick<App, "webhooks">,
  config: Pick<Config, "webhooks">,
  checks: EndpointChecks,
  now: Instant,
): Promise<CheckResult[]> {
  const { caFile } = config.webhooks;
  const setting = "webhooks.ca_file";
  const ofAll = caFile === null ? [] : [certificateFile({ path: caFile, setting, what: setting }, now)];
  const ofEach = app.webhooks.endpoints.list().map(async (endpoint) => {
    const what = `certificate of endpoint ${endpoint.name}`;
    const place = placeOf(endpoint, "webhooks.endpoints");
    const { clientCertFile: path } = endpoint;
    const result = await endpointResult(app, endpoint, caFile, checks);
    if (path === null || !endpoint.enabled) return [result];
    const file = { path, setting: place.setting && `${place.setting}.client_cert`, what };
    const certificate = await certificateFile(file, now);
    // A file that cannot be used is reported with the endpoint.
    return certificate.state === "ok" || result.state === "error" ? [result] : [result, certificate];
  });
  return [...(await Promise.all(ofAll)), ...(await Promise.all(ofEach)).flat()];
}

async function endpointResult(
  { webhooks }: Pick<App, "webhooks">,
  endpoint: Endpoint,
  caFile: string | null,
  { ping, offline }: EndpointChecks,
): Promise<CheckResult> {
  const { name, url } = endpoint;
  const base = { check: "endpoints", what: `endpoint ${name}` } as const;
  if (!endpoint.enabled) {
    const change = `run 'phishwatch webhooks enable ${shellWord(name)}'`;
    return { ...base, state: "warning", detail: "disabled", change };
  }
  const place = placeOf(endpoint, "webhooks.endpoints");
  const error = (detail: string, change: string): CheckResult => ({
    ...base,
    state: "error",
    detail,
    ...place,
    change,
  });
  const certificateError = endpointCertificateError(caFile, endpoint);
  if (certificateError !== undefined)
    return error(certificateError, "correct ca_file, client_cert or client_key");
  const test = `correct the receiver or the URL, then run 'phishwatch webhooks test ${shellWord(name)}'`;
  if (ping && !offline) {
    const { failure, error: reason, statusCode, durationMs } = await webhooks.ping(endpoint);
    if (failure !== null) return error(reason ?? failure, test);
    return { ...base, state: "ok", detail: `responded with ${statusCode} in ${durationMs} ms` };
  }
  if (!offline) {
    const problem = await destinationProblem(webhooks, url);
    if (problem !== undefined)
      return error(problem, "correct the URL, or set webhooks.allow_private_networks");
  }
  if (endpoint.consecutiveFailures > 0) return error(describeFailing(endpoint), test);
  return {
    ...base,
    state: offline ? "skipped" : "ok",
    detail: offline ? `${withoutQuery(url)} was not connected to` : withoutQuery(url),
  };
}

/** A query often contains a secret, and the output of `check` is shown to others. */
function withoutQuery(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname}${search === "" ? "" : "?…"}`;
}

async function destinationProblem(webhooks: App["webhooks"], url: string): Promise<string | undefined> {
  try {
    return await webhooks.checkDestination(url);
  } catch (error) {
    return messageOf(error);
  }
}
