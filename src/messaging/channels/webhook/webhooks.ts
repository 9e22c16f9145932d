import type { Actor } from "../../../access/audit/actor.ts";
import type { Needs } from "../../../access/audit/needs.ts";
import { createRecipientAdministration } from "../../deliveries/administration/recipient-administration.ts";
import type { AttemptResult } from "../../deliveries/channel.ts";
import { subjectOf } from "../../../access/entries/administration.ts";
import type { Recipients } from "../../deliveries/recipients.ts";
import type { EventBody } from "../../../threats/events/payloads.ts";
import { toIsoTime } from "../../../platform/lib/clock.ts";
import { pingEventType } from "../../../platform/vocabulary/events.ts";
import { testAttempt } from "../http/attempt.ts";
import { targetOf, type Endpoint } from "./endpoint.ts";
import { createEndpoints, type Endpoints } from "./endpoints.ts";
import type { WebhookChannel } from "./webhook-channel.ts";

/** Administration of webhook endpoints. */
export interface Webhooks {
  endpoints: Endpoints;
  checkDestination: WebhookChannel["checkDestination"];
  /** Sends a `webhook.ping` once and returns the outcome. Neither delivery log nor retries apply. */
  ping(endpoint: Endpoint): Promise<AttemptResult>;
  /** Like `ping`, for a test that a person asked for: it is recorded in the audit log. */
  test(endpoint: Endpoint, options: { by: Actor }): Promise<AttemptResult>;
}

export function createWebhooks({
  auditLog,
  channel,
  clock,
  database,
  fillRandom,
  ids,
  recipients,
}: Needs<"auditLog" | "clock" | "database" | "fillRandom" | "ids"> & {
  channel: Pick<WebhookChannel, "checkDestination" | "kind" | "recipients" | "send">;
  recipients: Recipients;
}): Webhooks {
  const administration = createRecipientAdministration({
    auditLog,
    clock,
    database,
    ids,
    kinds: [channel.kind],
    recipients,
    traits: channel.recipients,
  });

  async function ping(endpoint: Endpoint): Promise<AttemptResult> {
    const id = ids.next("event");
    const body: EventBody = { id, type: pingEventType, created_at: toIsoTime(clock.now()), data: {} };
    return testAttempt(await channel.send(targetOf(endpoint), { id, body: JSON.stringify(body) }));
  }

  return {
    endpoints: createEndpoints({ administration, auditLog, clock, database, fillRandom, recipients }),
    checkDestination: channel.checkDestination,
    ping,
    async test(endpoint, { by }) {
      await database.write(() => auditLog.record(by, "webhook.test", subjectOf(endpoint)));
      return ping(endpoint);
    },
  };
}
