import type { App } from "../../app/app.ts";
import type { ChannelRecipient } from "../../messaging/channels/all/channels.ts";
import type { Config } from "../../platform/config/config.ts";
import { isLocalUrl } from "../../platform/config/safety/exposure.ts";
import { causeOf } from "../../messaging/deliveries/rules/recipient-state.ts";
import { spanText } from "../../platform/lib/durations.ts";
import { counted } from "../../platform/lib/wording.ts";
import { resultOf, type CheckResult } from "../check-results/check-result.ts";
import { shellWord } from "../../platform/lib/shell-word.ts";

/**
 * Checks the mail server without sending anything, the address in messages and lists, the state of each channel, and what
 * is filtered by domains that are not protected.
 */
export async function channelResults(app: App, config: Config, offline: boolean): Promise<CheckResult[]> {
  const { mailServer, list } = app.channels;
  const results: CheckResult[] = [];
  if (mailServer !== null) {
    const base = { check: "mail-server", what: `mail server ${mailServer.name}` } as const;
    if (offline) results.push({ ...base, state: "skipped", detail: "not connected to" });
    else {
      const problem = await mailServer.check();
      const ok = mailServer.signsIn ? "connected and signed in" : "connected";
      const change = "correct the keys of [smtp]";
      const error = problem && ({ state: "error", detail: problem, setting: "smtp.host", change } as const);
      results.push(resultOf(base, ok, error || undefined));
    }
  }
  const channels = list();
  return [
    ...results,
    ...(channels.length + app.lists.list().length > 0 ? unreachableLinks(config) : []),
    ...channels.map((channel) => channelResult(app, channel)),
  ];
}

function channelResult({ channels, notifications }: App, channel: ChannelRecipient): CheckResult {
  const { consecutiveFailures, enabled, id, name, type } = channel;
  const base = { check: "channels", what: `channel ${name}` } as const;
  if (!enabled)
    return {
      ...base,
      state: "warning",
      detail: "disabled",
      change: `run 'phishwatch channels enable ${shellWord(name)}'`,
    };
  if (consecutiveFailures > 0)
    return {
      ...base,
      state: "error",
      detail: describeFailing(channel),
      ...placeOf(channel, "channels"),
      change: `correct it, then run 'phishwatch channels test ${shellWord(name)}'`,
    };
  if (!notifications.subscriptions.list().some((one) => one.enabled && one.channel.id === id))
    return {
      ...base,
      state: "warning",
      detail: "has no enabled subscription, so it is sent nothing",
      change: `run 'phishwatch subscriptions add NAME --channel ${shellWord(name)}'`,
    };
  return { ...base, state: "ok", detail: channels.label(type) };
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
export function placeOf(
  { name, origin }: Pick<ChannelRecipient, "name" | "origin">,
  table: string,
): { setting?: string } {
  return origin === "file" ? { setting: `${table}["${name}"]` } : {};
}

/** Messages and the addresses of block lists are useless to others if only this machine can open them. */
function unreachableLinks({ server: { publicUrl } }: Config): CheckResult[] {
  if (!isLocalUrl(publicUrl)) return [];
  const detail = `links in messages and the addresses of block lists begin with ${publicUrl}, which only this machine can open`;
  const setting = "server.public_url";
  const change = 'set it to a URL such as "https://phishwatch.example.com"';
  return [{ check: "public-url", what: setting, state: "warning", detail, setting, change }];
}

/** Returns the filters that select nothing, because of a typing error or a domain that is no longer protected. */
export function filterResults({
  domains,
  lists,
  notifications,
  webhooks,
}: Pick<App, "domains" | "lists" | "notifications" | "webhooks">): CheckResult[] {
  const filters: [what: string, protectedDomains: readonly string[]][] = [
    ...webhooks.endpoints
      .list()
      .map(({ name, filter }): [string, readonly string[]] => [
        `endpoint ${name}`,
        filter?.protectedDomains ?? [],
      ]),
    ...notifications.subscriptions
      .list()
      .map(({ name, filter }): [string, readonly string[]] => [
        `subscription ${name}`,
        filter.protectedDomains,
      ]),
    ...lists
      .list()
      .map(({ name, protectedDomains }): [string, readonly string[]] => [`list ${name}`, protectedDomains]),
  ];
  return filters.flatMap(([what, wanted]) => {
    const missing = wanted.filter((domain) => domains.find(domain)?.enabled !== true);
    if (missing.length === 0) return [];
    const detail = `filtered by ${missing.join(", ")}, which is not protected, so it selects nothing of it`;
    const change = `run 'phishwatch domains add ${shellWord(missing[0]!)}', or correct the filter`;
    return [{ check: "filters", what, state: "warning", detail, change }];
  });
}

const reports = { check: "takedowns", what: "takedown reports" } as const;
const waitMsMax = 3_600_000;
const attend = "run 'phishwatch takedowns list --show attention', and open Takedowns in the console";

/** Checks whether takedown reports are sent and delivered, and whether follow-ups are due. */
export function takedownResults({ takedowns }: Pick<App, "takedowns">, now: number): CheckResult[] {
  const { queued, oldestAt } = takedowns.queue();
  const { followUps, notDelivered } = takedowns.attention();
  const warning = (detail: string): CheckResult => ({ ...reports, state: "warning", detail, change: attend });
  const results: CheckResult[] = [];
  if (queued > 0 && takedowns.addresses() === null)
    results.push({
      ...reports,
      state: "error",
      detail: `${counted(queued, "report")} cannot be sent: no mail server or no sender is set`,
      setting: "smtp.host",
      change: "set a mail server and a sender",
    });
  else if (oldestAt !== null && now - oldestAt > waitMsMax)
    results.push(
      warning(
        `${counted(queued, "report")} to be sent; the oldest has waited for ${spanText(now - oldestAt)}`,
      ),
    );
  if (notDelivered > 0) results.push(warning(`${counted(notDelivered, "report")} not delivered`));
  if (followUps > 0) results.push(warning(`${counted(followUps, "report")} due for a follow-up`));
  if (results.length > 0 || takedowns.list("all", { limit: 1, offset: 0 }).total === 0) return results;
  return [{ ...reports, state: "ok", detail: "sent and delivered; no follow-up is due" }];
}
