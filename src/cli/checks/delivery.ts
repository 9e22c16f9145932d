import type { App } from "../../app/app.ts";
import type { ChannelRecipient } from "../../messaging/channels/all/channels.ts";
import type { Endpoint } from "../../messaging/channels/webhook/endpoint.ts";
import { causeOf } from "../../messaging/deliveries/rules/recipient-state.ts";
import type { Config } from "../../platform/config/config.ts";
import { isLocalUrl } from "../../platform/config/safety.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { spanText } from "../../platform/lib/durations.ts";
import { messageOf } from "../../platform/lib/errors.ts";
import { shellWord } from "../../platform/lib/shell-word.ts";
import { counted } from "../../platform/lib/wording.ts";
import { certificateFile, endpointCertificateError } from "./certificates.ts";
import { resultsOf, type CheckResult } from "./result.ts";

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
    const { clientCertFile: path } = endpoint;
    const result = await endpointResult(app, endpoint, caFile, checks);
    if (path === null || !endpoint.enabled) return [result];
    const place = placeOf(endpoint, "webhooks.endpoints");
    const what = `certificate of endpoint ${endpoint.name}`;
    const file = { path, setting: place && `${place}.client_cert`, what };
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
  const results = resultsOf("endpoints", `endpoint ${name}`);
  if (!endpoint.enabled)
    return results.warning("disabled", `run 'phishwatch webhooks enable ${shellWord(name)}'`);
  const error = (detail: string, change: string) =>
    results.error(detail, change, placeOf(endpoint, "webhooks.endpoints"));
  const certificateError = endpointCertificateError(caFile, endpoint);
  if (certificateError !== undefined)
    return error(certificateError, "correct ca_file, client_cert or client_key");
  const test = `correct the receiver or the URL, then run 'phishwatch webhooks test ${shellWord(name)}'`;
  if (ping && !offline) {
    const { failure, error: reason, statusCode, durationMs } = await webhooks.ping(endpoint);
    if (failure !== null) return error(reason ?? failure, test);
    return results.ok(`responded with ${statusCode} in ${durationMs} ms`);
  }
  const problem = offline ? undefined : await destinationProblem(webhooks, url);
  if (problem !== undefined) return error(problem, "correct the URL, or set webhooks.allow_private_networks");
  if (endpoint.consecutiveFailures > 0) return error(describeFailing(endpoint), test);
  return offline
    ? results.skipped(`${withoutQuery(url)} was not connected to`)
    : results.ok(withoutQuery(url));
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

/**
 * Checks the mail server without sending anything, the address in messages and lists, and the state of each channel.
 */
export async function channelResults(app: App, config: Config, offline: boolean): Promise<CheckResult[]> {
  const { mailServer, list } = app.channels;
  const channels = list();
  return [
    ...(mailServer === null ? [] : [await mailServerResult(mailServer, offline)]),
    ...(channels.length + app.lists.list().length > 0 ? unreachableLinks(config) : []),
    ...channels.map((channel) => channelResult(app, channel)),
  ];
}

async function mailServerResult(
  server: NonNullable<App["channels"]["mailServer"]>,
  offline: boolean,
): Promise<CheckResult> {
  const results = resultsOf("mail-server", `mail server ${server.name}`, "smtp.host");
  if (offline) return results.skipped("not connected to");
  const problem = await server.check();
  if (problem !== undefined) return results.error(problem, "correct the keys of [smtp]");
  return results.ok(server.signsIn ? "connected and signed in" : "connected");
}

function channelResult({ channels, notifications }: App, channel: ChannelRecipient): CheckResult {
  const { consecutiveFailures, enabled, id, name, type } = channel;
  const results = resultsOf("channels", `channel ${name}`);
  if (!enabled) return results.warning("disabled", `run 'phishwatch channels enable ${shellWord(name)}'`);
  if (consecutiveFailures > 0)
    return results.error(
      describeFailing(channel),
      `correct it, then run 'phishwatch channels test ${shellWord(name)}'`,
      placeOf(channel, "channels"),
    );
  if (notifications.subscriptions.list().some((one) => one.enabled && one.channel.id === id))
    return results.ok(channels.label(type));
  return results.warning(
    "has no enabled subscription, so it is sent nothing",
    `run 'phishwatch subscriptions add NAME --channel ${shellWord(name)}'`,
  );
}

/** Returns how often a recipient failed in a row, and why. */
export function describeFailing(
  recipient: Pick<ChannelRecipient, "consecutiveFailures" | "lastFailure">,
): string {
  const { consecutiveFailures: failures } = recipient;
  const attempts = failures === 1 ? "the last attempt" : `the last ${counted(failures, "attempt")}`;
  return `${attempts} failed: ${causeOf(recipient) ?? "cause unknown"}`;
}

/** Returns the entry of the configuration file that declares a recipient, if one does. */
function placeOf(
  { name, origin }: Pick<ChannelRecipient, "name" | "origin">,
  table: string,
): string | undefined {
  return origin === "file" ? `${table}["${name}"]` : undefined;
}

/** Messages and the addresses of block lists are useless to others if only this machine can open them. */
function unreachableLinks({ server: { publicUrl } }: Config): CheckResult[] {
  if (!isLocalUrl(publicUrl)) return [];
  return [
    resultsOf("public-url", "server.public_url", "server.public_url").warning(
      `links in messages and the addresses of block lists begin with ${publicUrl}, which only this machine can open`,
      'set it to a URL such as "https://phishwatch.example.com"',
    ),
  ];
}

const waitMsMax = 3_600_000;

/** Checks whether takedown reports are sent and delivered, and whether follow-ups are due. */
export function takedownResults({ takedowns }: Pick<App, "takedowns">, now: number): CheckResult[] {
  const { queued, oldestAt } = takedowns.queue();
  const { followUps, notDelivered } = takedowns.attention();
  const of = resultsOf("takedowns", "takedown reports");
  const attend = "run 'phishwatch takedowns list --show attention', and open Takedowns in the console";
  const results: CheckResult[] = [];
  const warn = (detail: string) => results.push(of.warning(detail, attend));
  const reports = counted(queued, "report");
  if (queued > 0 && takedowns.addresses() === null)
    results.push(
      of.error(
        `${reports} cannot be sent: no mail server or no sender is set`,
        "set a mail server and a sender",
        "smtp.host",
      ),
    );
  else if (oldestAt !== null && now - oldestAt > waitMsMax)
    warn(`${reports} to be sent; the oldest has waited for ${spanText(now - oldestAt)}`);
  if (notDelivered > 0) warn(`${counted(notDelivered, "report")} not delivered`);
  if (followUps > 0) warn(`${counted(followUps, "report")} due for a follow-up`);
  if (results.length > 0 || takedowns.list("all", { limit: 1, offset: 0 }).total === 0) return results;
  return [of.ok("sent and delivered; no follow-up is due")];
}
