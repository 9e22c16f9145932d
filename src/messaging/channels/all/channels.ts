import {
  convertEntries,
  subjectOf,
  type EntryAdministration,
} from "../../../access/entries/administration.ts";
import type { Actor } from "../../../access/audit/actor.ts";
import type { Needs } from "../../../access/audit/needs.ts";
import type { ChannelConfig } from "../../../platform/config/sections/notifications.ts";
import {
  createRecipientAdministration,
  type Dependents,
} from "../../deliveries/administration/recipient-administration.ts";
import type { AttemptResult } from "../../deliveries/channel.ts";
import type { Recipient, Recipients } from "../../deliveries/recipients.ts";
import { toIsoTime } from "../../../platform/lib/clock.ts";
import { badRequest, FieldError } from "../../../platform/lib/errors.ts";
import type { Notice } from "../../content/notice.ts";
import { consoleLinks } from "../../content/texts/links.ts";
import { testMessage } from "../../content/texts/system-texts.ts";
import { channelTypes, type ChannelKey, type ChannelType } from "../../../platform/vocabulary/channels.ts";
import { testAttempt } from "../http/attempt.ts";
import { channelTraits } from "../http/channel-traits.ts";
import type { NoticeChannel } from "../http/notice-channel.ts";
import type { ChannelTarget } from "../http/notice-type.ts";
import { completeTarget, propertyOf, shownTarget } from "./channel-target.ts";

/** A channel for people with its secrets. Its target must not be shown as a whole; see `shown`. */
export interface ChannelRecipient extends Omit<Recipient, "channel" | "target" | "events"> {
  type: ChannelType;
  target: ChannelTarget;
}

export interface NewChannel {
  name: string;
  type: ChannelType;
  target: Partial<ChannelTarget>;
  /** Default: enabled. */
  enabled?: boolean;
}

/** Outcome of a test message, with advice on how to fix a failure. */
export interface TestResult extends AttemptResult {
  advice: string | undefined;
}

/** Administers the channels for people, of all types. Names are unique among channels and webhook endpoints. */
export interface Channels extends EntryAdministration<ChannelRecipient, NewChannel, Partial<ChannelTarget>> {
  /** Types that can be added. */
  types: readonly ChannelType[];
  /** Removes a channel, its deliveries and its subscriptions. @throws PublicError like `change` */
  remove(idOrName: string, options: { by: Actor }): Promise<void>;
  /** Registers what is removed before each channel. */
  addDependents(dependents: Dependents): void;
  /** Sends a test message once, also to a disabled channel. Neither delivery log nor retries apply. */
  test(idOrName: string, options: { by: Actor }): Promise<TestResult>;
  /**
   * Makes the channels match the configuration file. Channels that are no longer declared are disabled.
   * @throws StartError for a declaration that is not valid
   */
  reconcile(declared: readonly ChannelConfig[]): void;
  /** Returns the name of the service: "Slack". */
  label(type: ChannelType): string;
  /** Returns the keys of the channel that are set, with secrets masked. */
  shown(channel: ChannelRecipient): { key: ChannelKey; value: string }[];
}

/** Settings of recipients that channels do not have: they are sent what subscriptions say. */
const defaults = { events: [], concurrency: null, ratePerSecond: null };

export function createChannels({
  auditLog,
  clock,
  database,
  ids,
  publicUrl,
  recipients,
  services,
}: Needs<"auditLog" | "clock" | "database" | "ids"> & {
  /** Returns the address of the console, for links in messages. */
  publicUrl: () => string;
  recipients: Recipients;
  services: readonly NoticeChannel[];
}): Channels {
  const dependents: Dependents[] = [];
  const administration = createRecipientAdministration({
    auditLog,
    clock,
    database,
    dependents,
    ids,
    kinds: channelTypes,
    recipients,
    traits: channelTraits,
  });

  function serviceOf(type: ChannelType): NoticeChannel {
    const service = services.find((one) => one.type === type);
    if (service === undefined)
      throw badRequest(`this version of phishwatch has no channels of the type ${type}`);
    return service;
  }

  return {
    ...convertEntries(administration, toChannel),
    types: services.map(({ type }) => type),

    add({ name, type, target: given, enabled = true }, { by }) {
      const target = completeTarget(serviceOf(type).type, given);
      return toChannel(administration.add({ ...defaults, name, channel: type, target, enabled }, { by }));
    },

    change: (key, changes, { by }) =>
      database.transaction(() => {
        const { type, target: present } = toChannel(administration.editable(key));
        const target = changedTarget(serviceOf(type), present, changes);
        return toChannel(administration.change(key, { target }, { by }));
      }),

    remove: administration.remove,
    addDependents: (added) => void dependents.push(added),

    async test(key, { by }) {
      const recipient = await database.write(() => {
        const found = administration.get(key);
        auditLog.record(by, "channel.test", subjectOf(found));
        return found;
      });
      const { type, target } = toChannel(recipient);
      const { channel } = serviceOf(type);
      const notice: Notice = {
        ...testMessage(recipient.name, consoleLinks(publicUrl())),
        id: ids.next("event"),
        at: toIsoTime(clock.now()),
      };
      const body = JSON.stringify(notice);
      const result = testAttempt(await channel.send(target, { id: notice.id, body }));
      return { ...result, advice: result.failure === null ? undefined : channel.failures[result.failure] };
    },

    reconcile(declared) {
      const entries = declared.map(({ name, type, ...given }) => ({
        ...defaults,
        name,
        channel: type,
        target: () => completeTarget(serviceOf(type).type, given),
      }));
      administration.reconcile(entries);
    },

    label: (type) => services.find((one) => one.type === type)?.label ?? type,
    shown: ({ target }) => shownTarget(target),
  };
}

/**
 * Returns the target with the changes. A stored secret is never shown, so it is not sent to another server either.
 * @throws FieldError for a secret that has to be entered again
 */
function changedTarget(
  { channel, type }: NoticeChannel,
  present: ChannelTarget,
  changes: Partial<ChannelTarget>,
): ChannelTarget {
  const target = completeTarget(type, { ...present, ...changes });
  const { url } = channel.validate(target);
  if (URL.parse(url ?? "")?.origin === URL.parse(present.url ?? "")?.origin) return target;
  for (const key of ["token", "routing_key", "headers"] as const) {
    const property = propertyOf[key];
    if (Object.keys(present[property] ?? {}).length > 0 && changes[property] === undefined)
      throw new FieldError(
        key,
        `enter ${key} again: the new server would be sent the present value, which is not shown`,
      );
  }
  return target;
}

function toChannel({ channel, target, events: _events, ...recipient }: Recipient): ChannelRecipient {
  const type = channelTypes.find((one) => one === channel);
  if (type === undefined) throw new Error(`${channel} is no type of channel`);
  // Every recipient of these kinds was written with a complete target.
  return { ...recipient, type, target: target as ChannelTarget };
}
