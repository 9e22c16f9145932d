import type { Subscription } from "../../../../messaging/subscriptions/subscriptions/store.ts";
import { subscriptionPresentation } from "../../../../messaging/subscriptions/subscriptions/presentation.ts";
import type { SubscriptionSettings } from "../../../../messaging/subscriptions/subscriptions/writer.ts";
import type { EntryPages, EntryWords } from "../../entries/description.ts";
import { DeclaredNote, EntryHead, EntryName, entryRoutes } from "../../entries/entry-pages.tsx";
import { Card, Facts, Time } from "../../kit/components.tsx";
import { filterFacts } from "../../threat-kit/event-filter.tsx";
import { Text } from "../../kit/name.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import { channelPath, newSubscriptionPath, notificationsPath, subscriptionPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { noticeLabel, whatOf, whenOf } from "./sentence.ts";
import { subscriptionForm, type SubscriptionServices } from "./subscription-form.tsx";
import { SubscriptionState } from "./subscription-parts.tsx";

const pages: EntryPages<Subscription, SubscriptionServices, SubscriptionSettings> = {
  noun: "subscription",
  listPage: { label: "Notifications", path: notificationsPath },
  addPath: newSubscriptionPath,
  pathOf: subscriptionPath,
  service: subscriptionPresentation.service,
  show: showSubscription,
  form: subscriptionForm,
  changed: () => "Saved.",
  disabled: "is disabled until someone enables it. Events in the meantime are not sent.",
  removing: (subscription) => (
    <>
      <Text text={subscription.channel.name} /> will no longer be sent the events of{" "}
      <EntryName entry={subscription} />. To pause it, disable it instead.
    </>
  ),
};

export const subscriptionRoutes = entryRoutes(pages);

function showSubscription(
  _: Context<SubscriptionServices>,
  subscription: Subscription,
  words: EntryWords,
): PageResult {
  const { name, channel, events, filter, createdAt } = subscription;
  return page(
    name,
    <>
      <EntryHead
        entry={subscription}
        words={words}
        lead={`${whatOf(subscription)}, ${whenOf(subscription)}, to ${channel.name}.`}
      />
      <DeclaredNote entry={subscription} where="[[subscriptions]]" />
      <Card>
        <Facts
          facts={[
            ["State", <SubscriptionState subscription={subscription} />],
            [
              "Channel",
              <a href={channelPath(channel.id)}>
                <Text text={channel.name} />
              </a>,
            ],
            ["Events", events.map((type) => noticeLabel(type).toLowerCase()).join(", ")],
            ...filterFacts(filter).map(([label, value]): [string, preact.JSX.Element] => [
              label,
              <Text text={value} charactersMax={2_000} />,
            ]),
            ["When", whenOf(subscription)],
            ["Added", <Time at={createdAt} />],
          ]}
        />
      </Card>
    </>,
  );
}
