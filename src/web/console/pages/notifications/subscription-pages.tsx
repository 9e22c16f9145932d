import { isDeclared, isUndeclared } from "../../../../platform/config/declared.ts";
import { badRequest, notFound } from "../../../../platform/lib/errors.ts";
import type { Subscription } from "../../../../messaging/subscriptions/subscriptions/store.ts";
import { Card, Confirm, DeclaredMark, Facts, LinkButton, PageHead, Time } from "../../kit/components.tsx";
import { Menu, MenuLink } from "../../kit/disclosure.tsx";
import { filterFacts } from "../../threat-kit/event-filter.tsx";
import { attempt } from "../../kit/fields.ts";
import { PostButton } from "../../kit/form.tsx";
import { Text } from "../../kit/name.tsx";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { channelPath, notificationsPath, subscriptionPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { noticeLabel, sentenceOf, whatOf, whenOf } from "./sentence.ts";
import {
  newForm,
  readSubscription,
  showSubscriptionForm,
  subscriptionForm,
  type SubscriptionContext,
} from "./subscription-form.tsx";
import { SubscriptionState } from "./subscription-parts.tsx";

export function showNewSubscription(context: SubscriptionContext): PageResult {
  return showSubscriptionForm(context, { form: newForm(context.query) });
}

export async function addSubscription(context: SubscriptionContext): Promise<PageResult> {
  const { form, services, by } = context;
  const { settings, errors } = readSubscription(context);
  if (Object.keys(errors).length > 0) return showSubscriptionForm(context, { form, errors });
  if (form.has("preview")) return showSubscriptionForm(context, { form, preview: sentenceOf(settings) });
  const name = (form.get("name") ?? "").trim();
  const added = await attempt(() =>
    context.write(() => services.notifications.subscriptions.add({ ...settings, name }, { by })),
  );
  if (!added.ok) return showSubscriptionForm(context, { form, errors: added.errors });
  return redirect(subscriptionPath(added.value.id), `${name} has been added.`);
}

export function showSubscription(context: Context<"notifications">): PageResult {
  const subscription = subscriptionOf(context);
  const { id, name, channel, enabled, events, filter, createdAt } = subscription;
  const path = subscriptionPath(id);
  const declared = isDeclared(subscription);
  return page(
    name,
    <>
      <PageHead
        title={<Text text={name} />}
        crumbs={[{ label: "Notifications", path: notificationsPath }]}
        lead={`${whatOf(subscription)}, ${whenOf(subscription)}, to ${channel.name}.`}
      >
        {isUndeclared(subscription) ? null : enabled ? (
          <PostButton action={`${path}/disable`} label="Disable" icon="pause" />
        ) : (
          <PostButton action={`${path}/enable`} label="Enable" variant="primary" />
        )}
        {subscription.origin === "file" ? null : <LinkButton path={`${path}/edit`} label="Edit" />}
        {declared ? null : (
          <Menu>
            <MenuLink path={`${path}/remove`} label="Remove subscription" danger />
          </Menu>
        )}
      </PageHead>
      {declared ? (
        <p>
          <DeclaredMark where="[[subscriptions]]" />
        </p>
      ) : null}
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

export function showChange(context: SubscriptionContext): PageResult {
  const subscription = editable(context);
  return showSubscriptionForm(context, { form: subscriptionForm(subscription), subscription });
}

export async function changeSubscription(context: SubscriptionContext): Promise<PageResult> {
  const { form, services, by } = context;
  const subscription = editable(context);
  const { settings, errors } = readSubscription(context);
  if (Object.keys(errors).length > 0) return showSubscriptionForm(context, { form, subscription, errors });
  if (form.has("preview"))
    return showSubscriptionForm(context, { form, subscription, preview: sentenceOf(settings) });
  const changed = await attempt(() =>
    context.write(() => services.notifications.subscriptions.change(subscription.id, settings, { by })),
  );
  if (!changed.ok) return showSubscriptionForm(context, { form, subscription, errors: changed.errors });
  return redirect(subscriptionPath(subscription.id), "Saved.");
}

export async function enableSubscription(context: Context<"notifications">): Promise<PageResult> {
  const { id } = subscriptionOf(context);
  const { subscriptions } = context.services.notifications;
  const { name } = await context.write(() => subscriptions.enable(id, { by: context.by }));
  return redirect(subscriptionPath(id), `${name} is enabled.`);
}

export async function disableSubscription(context: Context<"notifications">): Promise<PageResult> {
  const { id } = subscriptionOf(context);
  const { subscriptions } = context.services.notifications;
  const { name } = await context.write(() => subscriptions.disable(id, { by: context.by }));
  return redirect(
    subscriptionPath(id),
    `${name} is disabled until someone enables it. Events in the meantime are not sent.`,
  );
}

export function askToRemoveSubscription(context: Context<"notifications">): PageResult {
  const { id, name, channel } = editable(context);
  return page(
    "Remove subscription",
    <Confirm
      title="Remove this subscription?"
      action={`${subscriptionPath(id)}/remove`}
      button="Remove subscription"
      back={subscriptionPath(id)}
    >
      <p>
        <Text text={channel.name} /> will no longer be sent the events of{" "}
        <strong>
          <Text text={name} />
        </strong>
        . To pause it, disable it instead.
      </p>
    </Confirm>,
  );
}

export async function removeSubscription(context: Context<"notifications">): Promise<PageResult> {
  const { id, name } = editable(context);
  await context.services.notifications.subscriptions.remove(id, { by: context.by });
  return redirect(notificationsPath, `${name} has been removed.`);
}

function subscriptionOf({ params, services }: Context<"notifications">): Subscription {
  const id = params["id"]!;
  const found = services.notifications.subscriptions.find(id);
  // An address has the identifier, never the name.
  if (found?.id !== id) throw notFound("There is no subscription with this ID.");
  return found;
}

function editable(context: Context<"notifications">): Subscription {
  const subscription = subscriptionOf(context);
  if (isDeclared(subscription))
    throw badRequest("This subscription is declared in the configuration file. Change it there.");
  return subscription;
}
