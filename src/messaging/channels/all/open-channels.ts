import type { AuditLog } from "../../../access/audit/audit-log.ts";
import type { Config } from "../../../platform/config/config.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import { createDeliveries } from "../../deliveries/deliveries.ts";
import type { Enrichment } from "../../../facts/enrichment/enrichment.ts";
import type { Outbox } from "../../../threats/events/outbox.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { connectionLimits, descriptorLimit } from "../../../platform/network/descriptors.ts";
import { createSystemResolver } from "../../../platform/network/dns/resolve-with-system.ts";
import type { Turns } from "../../../platform/network/turns.ts";
import { createThreatSnapshots } from "../../../threats/threats/store/snapshots.ts";
import { discord } from "../discord/discord.ts";
import { createEmailChannel } from "../email/email-channel.ts";
import { googleChat } from "../google-chat/google-chat.ts";
import { createNoticeChannels, type NoticeChannel } from "../http/notice-channel.ts";
import { createSmallScreenshots } from "../http/screenshots.ts";
import { matrix } from "../matrix/matrix.ts";
import { mattermost } from "../mattermost/mattermost.ts";
import { ntfy } from "../ntfy/ntfy.ts";
import { pagerduty } from "../pagerduty/pagerduty.ts";
import { slack } from "../slack/slack.ts";
import { teams } from "../teams/teams.ts";
import { telegram } from "../telegram/telegram.ts";
import { template } from "../template/template.ts";
import { createWebhookChannel } from "../webhook/webhook-channel.ts";
import { createWebhooks } from "../webhook/webhooks.ts";
import { createChannels } from "./channels.ts";

/** Types of channels that send HTTP requests, in the order in which pages offer them. */
const types = [slack, teams, discord, mattermost, googleChat, ntfy, telegram, pagerduty, matrix, template];

/** Constructs the channels of all types, and the deliveries through them. */
export function openChannels({
  auditLog,
  clock,
  config,
  database,
  fillRandom,
  ids,
  log,
  outbox,
  publicUrl,
  screenshotOf,
  signedAt,
  turns,
  version,
}: Needs<"clock" | "database" | "fillRandom" | "ids" | "log"> & {
  auditLog: AuditLog;
  config: Pick<Config, "retention" | "smtp" | "webhooks">;
  outbox: Outbox;
  /** Returns the address of the console, for links in messages. */
  publicUrl: () => string;
  /** Returns the screenshot of a threat's page as it is stored. */
  screenshotOf: Enrichment["screenshotOf"];
  /** Returns the time in the signatures of webhook deliveries to a URL. */
  signedAt: (url: string) => Instant;
  turns: Turns;
  version: string;
}) {
  const { retention, webhooks: sending } = config;
  const { idleMax, requestsMax } = connectionLimits(descriptorLimit());
  const resolveHost = sending.onlyLoopback ? resolveNothing : createSystemResolver({ clock });
  const http = { clock, idleMax, resolveHost, settings: sending, turns, version };
  const webhook = createWebhookChannel({ ...http, signedAt });
  const screenshots = createSmallScreenshots(screenshotOf);
  const snapshots = createThreatSnapshots(database);
  const statusOf = (threatId: string) => snapshots.byId(threatId)?.status ?? null;
  const shared = { ...http, screenshotOf: screenshots, statusOf };
  const email = createEmailChannel({ clock, log, screenshotOf: screenshots, config });
  const services: NoticeChannel[] = [...createNoticeChannels(types, shared), email];
  const deliveries = createDeliveries({
    auditLog,
    channels: [webhook, ...services.map(({ channel }) => channel)],
    clock,
    database,
    ids,
    log,
    outbox,
    requestsMax,
    retention,
    settings: sending,
  });
  const { recipients } = deliveries;
  return {
    deliveries,
    webhooks: createWebhooks({ auditLog, channel: webhook, clock, database, fillRandom, ids, recipients }),
    channels: {
      ...createChannels({ auditLog, clock, database, ids, publicUrl, recipients, services }),
      /** The mail server; null: none is set. */
      get mailServer() {
        return email.mailServer;
      },
    },
  };
}

async function resolveNothing(): Promise<never> {
  throw Object.assign(new Error("no names are resolved"), { code: "messages stay on this machine" });
}
