import type { RecipientTraits } from "../../deliveries/channel.ts";
import type { WebhookTarget } from "./endpoint.ts";

/** How webhook endpoints are named, compared and described. */
export const endpointTraits: RecipientTraits<WebhookTarget> = {
  noun: "webhook endpoint",
  idPrefix: "whk",
  configKey: "webhooks.endpoints",
  auditedProperties: ["url", "headers", "caFile", "clientCertFile", "clientKeyFile"],
  addressOf: ({ url }) => url,
  // The path of the URL and the values of headers may be secret.
  describe: ({ target: { url, headers }, events }) => ({
    host: new URL(url).host,
    events,
    headers: Object.keys(headers),
  }),
  isRotated: (before, after) => before.secret !== after.secret,
};
