import { channelTypes } from "../../../../platform/vocabulary/channels.ts";
import { channelWords } from "../../delivery-kit/recipient-parts.tsx";
import { sendingAgainRoutes } from "../../delivery-kit/sending-again.tsx";
import { channelsPath, notificationsPath } from "../../kit/paths.ts";
import type { PageGroup } from "../../shell/router.ts";
import { channelRoutes } from "./channel-pages.tsx";
import { listNotifications } from "./list.tsx";
import { subscriptionRoutes } from "./subscription-pages.tsx";

/** Channels and subscriptions: who is sent which messages. */
export const notificationPages: PageGroup = {
  nav: { section: "notify", label: "Notifications", icon: "bell", path: notificationsPath },
  routes: [
    { method: "GET", path: notificationsPath, permission: "read", run: listNotifications },
    ...channelRoutes,
    ...subscriptionRoutes,
    ...sendingAgainRoutes({ base: channelsPath, channels: channelTypes, words: channelWords }),
  ],
};
