import { channelWords } from "../../delivery-kit/recipient-parts.tsx";
import { messageReplay, replayRoutes, sendAllRoutes } from "../../delivery-kit/sending-again.tsx";
import { channelTypes } from "../../../../platform/vocabulary/channels.ts";
import {
  channelPath,
  channelsPath,
  newChannelPath,
  newSubscriptionPath,
  notificationsPath,
  subscriptionPath,
} from "../../kit/paths.ts";
import { pageGroup } from "../../shell/router.ts";
import { formOf, showChannelForm, showNewChannel } from "./channel-form.tsx";
import {
  askToRemoveChannel,
  disableChannel,
  editable,
  enableChannel,
  removeChannel,
  sendTest,
  showChannel,
} from "./channel-pages.tsx";
import { addChannel, changeChannel } from "./channel-saving.ts";
import { listNotifications } from "./list.tsx";
import {
  addSubscription,
  askToRemoveSubscription,
  changeSubscription,
  disableSubscription,
  enableSubscription,
  removeSubscription,
  showChange,
  showNewSubscription,
  showSubscription,
} from "./subscription-pages.tsx";

const channel = channelPath(":id");
const subscription = subscriptionPath(":id");

/** Channels and subscriptions: who is sent which messages. */
export const notificationPages = pageGroup({
  nav: { section: "notify", label: "Notifications", icon: "bell", path: notificationsPath },
  services: ["channels", "config", "deliveries", "domains", "notifications", "publicUrl", "threats"],
  routes: [
    { method: "GET", path: notificationsPath, permission: "read", run: listNotifications },
    {
      method: "GET",
      path: newChannelPath,
      permission: "administer",
      run: (context) => showNewChannel(context),
    },
    { method: "POST", path: newChannelPath, permission: "administer", run: addChannel },
    { method: "GET", path: channel, permission: "read", run: showChannel },
    {
      method: "GET",
      path: `${channel}/edit`,
      permission: "administer",
      run(context) {
        const found = editable(context);
        return showChannelForm(context, { type: found.type, form: formOf(found), channel: found });
      },
    },
    {
      method: "POST",
      path: `${channel}/edit`,
      permission: "administer",
      run: (context) => changeChannel(context, editable(context)),
    },
    { method: "POST", path: `${channel}/test`, permission: "administer", run: sendTest },
    { method: "POST", path: `${channel}/enable`, permission: "administer", run: enableChannel },
    { method: "POST", path: `${channel}/disable`, permission: "administer", run: disableChannel },
    { method: "GET", path: `${channel}/remove`, permission: "administer", run: askToRemoveChannel },
    { method: "POST", path: `${channel}/remove`, permission: "administer", run: removeChannel },
    { method: "GET", path: newSubscriptionPath, permission: "administer", run: showNewSubscription },
    { method: "POST", path: newSubscriptionPath, permission: "administer", run: addSubscription },
    { method: "GET", path: subscription, permission: "read", run: showSubscription },
    { method: "GET", path: `${subscription}/edit`, permission: "administer", run: showChange },
    { method: "POST", path: `${subscription}/edit`, permission: "administer", run: changeSubscription },
    { method: "POST", path: `${subscription}/enable`, permission: "administer", run: enableSubscription },
    { method: "POST", path: `${subscription}/disable`, permission: "administer", run: disableSubscription },
    { method: "GET", path: `${subscription}/remove`, permission: "administer", run: askToRemoveSubscription },
    { method: "POST", path: `${subscription}/remove`, permission: "administer", run: removeSubscription },
    ...replayRoutes({ base: channelsPath, kinds: channelTypes, words: messageReplay }),
    ...sendAllRoutes({
      base: channelsPath,
      kinds: channelTypes,
      words: channelWords,
      duplicates: "People are sent each of them as a message of its own.",
    }),
  ],
});
