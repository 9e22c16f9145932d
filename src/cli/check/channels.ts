import type { App } from "../../app.ts";
import type { ChannelRecipient } from "../../channels/all/channels.ts";
import type { Config } from "../../config/config.ts";
import { isLocalUrl } from "../../config/safety/exposure.ts";
import { causeOf } from "../../deliveries/rules/recipient-state.ts";
import { counted } from "../../lib/wording.ts";
import type { CheckResult } from "./check-result.ts";

/**
 * Checks the mail server without sending anything, the address in messages and lists, the state of each channel, and what
 * is filtered by domains that are not protected.
 */
export async function channelResults(app: App, config: Config): Promise<CheckResult[]> {
  const { mailServer, list } = app.channels;
  const results: CheckResult[] = [];
  if (mailServer !== null) {
    const what = `mail server ${mailServer.name}`;
    const problem = await mailServer.check();
    results.push(
      problem === undefined
        ? { what, state: "ok", detail: mailServer.signsIn ? "connected and signed in" : "connected" }
        : { what, state: "error", detail: problem },
    );
  }
  const channels = list();
  return [
    ...results,
    ...(channels.length + app.lists.list().length > 0 ? unreachableLinks(config) : []),
    ...channels.map((channel) => channelResult(app, channel)),
    ...unprotectedDomains(app),
  ];
}

function channelResult({ channels, notifications }: App, channel: ChannelRecipient): CheckResult {
  const { consecutiveFailures, enabled, id, name, type } = channel;
  const what = `channel ${name}`;
  if (!enabled) return { what, state: "warning", detail: "disabled" };
  if (consecutiveFailures > 0)
    return {
      what,
      state: "error",
      detail: describeFailing(channel),
    };
  if (!notifications.subscriptions.list().some((one) => one.enabled && one.channel.id === id))
    return {
      what,
      state: "warning",
      detail:
        "has no enabled subscription, so it is sent nothing; add one with 'phishwatch subscriptions add'",
    };
  return { what, state: "ok", detail: channels.label(type) };
}

/** Returns how often a recipient failed in a row, and why. */
export function describeFailing(
  recipient: Pick<ChannelRecipient, "consecutiveFailures" | "lastFailure">,
): string {
  const { consecutiveFailures: failures } = recipient;
  const attempts = failures === 1 ? "the last attempt" : `the last ${counted(failures, "attempt")}`;
  return `${attempts} failed: ${causeOf(recipient) ?? "cause unknown"}`;
}

/** Messages and the addresses of block lists are useless to others if only this machine can open them. */
function unreachableLinks({ server: { publicUrl } }: Config): CheckResult[] {
  if (!isLocalUrl(publicUrl)) return [];
  const detail = `links in messages and the addresses of block lists begin with ${publicUrl}, which only this machine can open; set it to the address under which others reach phishwatch`;
  return [{ what: "server.public_url", state: "warning", detail }];
}

/** Returns the filters that select nothing, because of a typing error or a domain that is no longer protected. */
function unprotectedDomains({ domains, lists, notifications, webhooks }: App): CheckResult[] {
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
    const detail = `filtered by ${missing.join(", ")}, which is not protected, so it selects nothing of it; protect it, or correct the filter`;
    return [{ what, state: "warning", detail }];
  });
}
