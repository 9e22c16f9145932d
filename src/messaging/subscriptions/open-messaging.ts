import { openChannels } from "../channels/all/open-channels.ts";
import type { Config } from "../../platform/config/config.ts";
import type { ProtectedDomains } from "../../threats/domains/domains.ts";
import type { Enrichment } from "../../facts/enrichment/enrichment.ts";
import { openNotifications } from "./open-notifications.ts";

/** Constructs everything that sends messages: the deliveries with their channels, and the subscriptions of channels. */
export function openMessaging({
  domains,
  enrichment,
  pause,
  ...shared
}: Omit<Parameters<typeof openChannels>[0], "screenshotOf"> & {
  domains: ProtectedDomains;
  enrichment: Enrichment;
  /** Lets requests be served in between. */
  pause: () => Promise<void>;
}) {
  const opened = openChannels({ ...shared, screenshotOf: enrichment.screenshotOf });
  const { channels, deliveries, webhooks } = opened;
  const notifications = openNotifications({ ...shared, channels, deliveries, domains, enrichment, pause });
  return {
    ...opened,
    notifications,
    start() {
      deliveries.start();
      notifications.start();
    },
    /** Makes endpoints, channels and subscriptions match the configuration file. @throws StartError */
    reconcile(config: Pick<Config, "channels" | "subscriptions" | "webhooks">) {
      webhooks.endpoints.reconcile(config.webhooks.endpoints);
      channels.reconcile(config.channels);
      notifications.subscriptions.reconcile(config.subscriptions);
    },
  };
}
