import type { ChannelRecipient, Channels } from "../../../../messaging/channels/all/channels.ts";
import { channelPresentation } from "../../../../messaging/channels/all/presentation.ts";
import { counted } from "../../../../platform/lib/wording.ts";
import type { EntryPages, EntryWords } from "../../entries/description.ts";
import { EntryName, entryOf, entryRoutes } from "../../entries/entry-pages.tsx";
import { LinkButton, Section, Time, type Facts } from "../../kit/components.tsx";
import { Text } from "../../kit/inline.tsx";
import { redirect, type PageResult } from "../../kit/page-result.ts";
import { channelPath, deliveriesToPath, newSubscriptionPath, notificationsPath } from "../../kit/paths.ts";
import { Table } from "../../kit/table.tsx";
import type { Context, Route } from "../../shell/router.ts";
import { channelWords } from "../../delivery-kit/recipient-parts.tsx";
import { recipientPage } from "../../delivery-kit/recipient-page.tsx";
import { RecipientState } from "../../delivery-kit/recipient-parts.tsx";
import { TestNote, testShown, type TestShown } from "../../delivery-kit/delivery-parts.tsx";
import {
  channelForms,
  channelForm,
  chooseService,
  chosenType,
  type ChannelSettings,
} from "./channel-form.tsx";
import { columnsInChannel } from "./subscription-parts.tsx";

type Services = "channels" | "config" | "deliveries" | "domains" | "notifications" | "threats";

/** Maximum number of waiting messages that are counted. */
const waitingMax = 100;

const pages: EntryPages<ChannelRecipient, Services, ChannelSettings> = {
  noun: "channel",
  listPage: { label: "Notifications", path: notificationsPath },
  pathOf: channelPath,
  service: channelPresentation.service,
  show: showChannel,
  form: channelForm,
  chooseFirst: (context) => (chosenType(context) === undefined ? chooseService(context) : undefined),
  async save(context, { type, target }, { name, entry }) {
    const { by, services } = context;
    const { id } = await context.write(() =>
      entry === undefined
        ? services.channels.add({ name, type, target }, { by })
        : services.channels.change(entry.id, target, { by }),
    );
    if (context.form.get("test") === "yes") await keepTest(context, id);
    return { id };
  },
  enabled({ services: { deliveries } }, { id, name }) {
    const waiting = deliveries.log.list({ recipient: id, status: "pending" }, waitingMax + 1).length;
    const messages = waiting > waitingMax ? `More than ${waitingMax} messages` : counted(waiting, "message");
    const sent = waiting === 0 ? "" : ` ${messages} that waited ${waiting === 1 ? "is" : "are"} being sent.`;
    return `${name} is enabled.${sent}`;
  },
  disabled: "is disabled until someone enables it. Messages wait until then.",
  removing: (channel) => (
    <>
      <EntryName entry={channel} /> will receive no more messages. Its address, its secrets, its subscriptions
      and the log of its messages will be deleted. To pause it, disable it instead.
    </>
  ),
};

export const channelRoutes: Route<Services>[] = [
  ...entryRoutes(pages),
  {
    method: "POST",
    path: `${channelPath(":id")}/test`,
    permission: "administer",
    async run(context) {
      const { id } = entryOf(pages, context);
      await keepTest(context, id);
      return redirect(channelPath(id));
    },
  },
];

const testOf = (id: string) => `test of ${id}`;

/** Sends a test message, and keeps its result for the next page. */
async function keepTest(context: Context<"channels">, id: string): Promise<void> {
  const result = await context.services.channels.test(id, { by: context.by });
  context.putOnce(testOf(id), testShown(result, result.advice) satisfies TestShown);
}

function showChannel(context: Context<Services>, channel: ChannelRecipient, words: EntryWords): PageResult {
  const { channels, notifications } = context.services;
  const { id, name, type } = channel;
  const test = context.takeOnce<TestShown>(testOf(id));
  return recipientPage(context, channel, words, {
    lead: channels.label(type),
    words: channelWords,
    once: test === undefined ? null : <TestNote test={test} />,
    where: "[[channels]]",
    latest: {
      title: "Messages",
      all: "All messages",
      path: deliveriesToPath({ channel: type, id }),
      empty: "No messages have been sent to it yet. Tests are not listed here.",
    },
    settings: settingsOf(channel, channels),
    children: (
      <Section
        title="Subscriptions"
        aside={
          <LinkButton
            path={`${newSubscriptionPath}?channel=${encodeURIComponent(name)}`}
            label="Add subscription"
            icon="plus"
            small
          />
        }
      >
        <Table
          caption="Subscriptions"
          columns={columnsInChannel}
          rows={notifications.subscriptions.list().filter((one) => one.channel.id === id)}
          empty="It is sent nothing yet. A subscription says which events it is sent, and when."
        />
      </Section>
    ),
  });
}

function settingsOf(
  channel: ChannelRecipient,
  channels: Pick<Channels, "label" | "shown">,
): Parameters<typeof Facts>[0]["facts"] {
  const { type, createdAt } = channel;
  const { fields } = channelForms[type];
  return [
    ["State", <RecipientState recipient={channel} />],
    ["Service", channels.label(type)],
    ...channels
      .shown(channel)
      .map(({ key, value }): [string, preact.JSX.Element] => [
        fields[key]?.label ?? key,
        <Text text={value} charactersMax={1_000} />,
      ]),
    ["Added", <Time at={createdAt} />],
  ];
}
