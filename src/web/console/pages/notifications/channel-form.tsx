import type { ChannelRecipient } from "../../../../messaging/channels/all/channels.ts";
import { propertyOf } from "../../../../messaging/channels/all/channel-target.ts";
import type { ChannelTarget } from "../../../../messaging/channels/http/notice-type.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import {
  channelKeys,
  keysOfChannel,
  type ChannelKey,
  type ChannelType,
} from "../../../../platform/vocabulary/channels.ts";
import type { EntryForm } from "../../entries/description.ts";
import { createFieldReader, readHeaders, splitList, type FieldErrors } from "../../kit/fields.ts";
import { Checkbox, HiddenFields, TextArea, TextField } from "../../kit/form.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import { newChannelPath, notificationsPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import forms from "./channel-forms.json" with { type: "json" };

type FormContext = Context<"channels" | "config">;

/** A target, and the service that a new channel is for. */
export interface ChannelSettings {
  type: ChannelType;
  target: Partial<ChannelTarget>;
}

/** Prefix of the checkbox that removes a stored secret. */
const removal = "remove_";

/** The form with which channels are added and changed: the second step, after the service was chosen. */
export const channelForm: EntryForm<ChannelRecipient, "channels" | "config", ChannelSettings> = {
  addTitle: (context) => `Add ${context.services.channels.label(typeOf(context))} channel`,
  addCrumb: { label: "Choose another service", path: newChannelPath },
  lead(context, { entry }) {
    const type = typeOf(context, entry);
    return (
      <>
        {channelForms[type].purpose}{" "}
        <a href={`/docs/channels#${manualSection(context.services.channels.label(type), type)}`}>
          Setup in the manual
        </a>
      </>
    );
  },
  name: {
    required: true,
    maxLength: 64,
    placeholder: "team-chat",
    autofocus: true,
    hint: "Subscriptions and the command line refer to the channel by its name.",
  },
  missing: (context, { entry }) =>
    typeOf(context, entry) !== "email" || context.services.config.smtp !== null ? undefined : (
      <p>
        The mail server is declared in the configuration file. Set <code>host</code> and <code>from</code> of{" "}
        <code>[smtp]</code> there.
      </p>
    ),
  newForm: () => new URLSearchParams({ test: "yes" }),
  formOf,
  before: (context, { entry }) =>
    entry === undefined ? <HiddenFields fields={{ type: typeOf(context) }} /> : null,
  fields(context, { entry }) {
    const type = typeOf(context, entry);
    const { required } = keysOfChannel[type];
    const shown = entry === undefined ? [] : context.services.channels.shown(entry);
    return (
      <>
        {fieldsOf(type).map(([key, field]) => (
          <Control
            name={key}
            field={field}
            required={required.includes(key)}
            stored={storedValue(shown, type, key)}
          />
        ))}
        <Checkbox label="Send a test message after saving" name="test" />
      </>
    );
  },
  read(context, entry) {
    const type = typeOf(context, entry);
    const { errors, field } = createFieldReader();
    const shown = entry === undefined ? [] : context.services.channels.shown(entry);
    const stored = shown.flatMap(({ key }) => (isSecret(type, key) ? [key] : []));
    return { settings: { type, target: readTarget(context.form, { type, field, stored }) }, errors };
  },
  wordErrors: (errors, context, entry) => inWordsOf(typeOf(context, entry), errors),
};

/** Returns the chosen service; undefined if none is chosen yet. */
export function chosenType({ form, query, services }: Context<"channels">): ChannelType | undefined {
  // Nothing else is taken from the address: a link must not fill in where messages are sent.
  const given = form.get("type") ?? query.get("type");
  return services.channels.types.find((one) => one === given);
}

/** @throws PublicError `bad_request` */
function typeOf(context: Context<"channels">, channel?: ChannelRecipient): ChannelType {
  const type = channel?.type ?? chosenType(context);
  if (type === undefined) throw badRequest("Choose one of the services.");
  return type;
}

/** Step 1 of adding a channel: choosing the service. */
export function chooseService({ services: { channels } }: FormContext): PageResult {
  return page(
    {
      title: "Add channel",
      crumbs: [{ label: "Notifications", path: notificationsPath }],
      lead: "Choose where your team reads messages.",
    },
    <ul class="cols cols-3">
      {channels.types.map((type) => (
        <li class="card">
          <a href={`${newChannelPath}?type=${type}`}>{channels.label(type)}</a>
          <p class="hint">{channelForms[type].purpose}</p>
        </li>
      ))}
    </ul>,
  );
}

/** Returns the anchor of the section about a service. */
function manualSection(service: string, type: ChannelType): string {
  return type === "template" ? "other-services" : service.toLowerCase().replaceAll(" ", "-");
}

function fieldsOf(type: ChannelType): [ChannelKey, ChannelField][] {
  // Keys of object literals are in the order in which they were written.
  return Object.entries(channelForms[type].fields).flatMap(([name, field]): [ChannelKey, ChannelField][] => {
    const key = channelKeys.find((one) => one === name);
    return key === undefined ? [] : [[key, field]];
  });
}

/** Returns the masked value of a stored secret, or undefined if none is stored. */
function storedValue(
  shown: readonly { key: ChannelKey; value: string }[],
  type: ChannelType,
  key: ChannelKey,
): string | undefined {
  return isSecret(type, key) ? shown.find((one) => one.key === key)?.value : undefined;
}

function Control(props: {
  name: ChannelKey;
  field: ChannelField;
  required: boolean;
  /** Masked value of a stored secret. */
  stored: string | undefined;
}) {
  const { name, field, required, stored } = props;
  const { label, hint: where, placeholder } = field;
  const hint =
    stored === undefined ? (
      where
    ) : (
      <>
        Stored: {stored}. Leave empty to keep it. {where}
      </>
    );
  const shared = { label, name, hint };
  const isLong = name === "to" || name === "template" || name === "headers";
  return (
    <>
      {isLong ? (
        <TextArea {...shared} rows={name === "template" ? 8 : 3} maxLength={20_000} />
      ) : (
        <TextField
          {...shared}
          maxLength={2_000}
          required={required && stored === undefined}
          placeholder={placeholder}
        />
      )}
      {stored === undefined || required ? null : (
        <Checkbox label={`Remove the stored value of “${label}”`} name={removal + name} />
      )}
    </>
  );
}

/** Returns the initial values of the form for a change. Stored secrets are left out. */
function formOf({ type, target }: ChannelRecipient): URLSearchParams {
  const form = new URLSearchParams({ test: "yes" });
  for (const [key] of fieldsOf(type)) {
    const value = target[propertyOf[key]];
    if (isSecret(type, key) || value === null) continue;
    form.set(key, typeof value === "string" ? value : Array.isArray(value) ? value.join("\n") : "");
  }
  return form;
}

/** Replaces the key at the beginning of each message by the label of its field. */
function inWordsOf(type: ChannelType, errors: FieldErrors): FieldErrors {
  const { fields } = channelForms[type];
  return Object.fromEntries(
    Object.entries(errors).map(([key, message]) => {
      const label = Object.entries(fields).find(([one]) => one === key)?.[1].label;
      // Every message begins with a capital letter.
      const isNamed = label !== undefined && new RegExp(`^${key}\\b`, "i").test(message);
      return [key, isNamed ? `${label}${message.slice(key.length)}` : message];
    }),
  );
}

/**
 * Reads the fields of a type.
 * @param options.stored secrets that are kept if their field is empty
 */
function readTarget(
  form: URLSearchParams,
  {
    type,
    field,
    stored = [],
  }: {
    type: ChannelType;
    field: ReturnType<typeof createFieldReader>["field"];
    stored?: readonly ChannelKey[];
  },
): Partial<ChannelTarget> {
  const { required } = keysOfChannel[type];
  const target: Partial<ChannelTarget> = {};
  for (const [key, { label }] of fieldsOf(type)) {
    const text = (form.get(key) ?? "").trim();
    if (text === "" && stored.includes(key) && form.get(removal + key) !== "yes") continue;
    if (text === "" && required.includes(key))
      field(
        key,
        () => {
          throw badRequest(`enter a value for “${label}”`);
        },
        undefined,
      );
    else if (key === "to") target.to = splitList(text);
    else if (key === "headers") target.headers = field(key, () => readHeaders(text), {});
    else target[propertyOf[key]] = text === "" ? null : text;
  }
  return target;
}

/** Fields of the form for each type of channel. */

interface ChannelField {
  label: string;
  /** Where to find the value, in one or two sentences. */
  hint: string;
  placeholder?: string;
}

interface ChannelForm {
  /** Purpose in one sentence, shown where the service is chosen. */
  purpose: string;
  fields: Partial<Record<ChannelKey, ChannelField>>;
}

/** Keys whose values are not shown again once they are stored. */
const secretKeys: readonly ChannelKey[] = ["url", "token", "routing_key", "headers"];
/** Types whose URL is the address of a server and reveals nothing. */
const openUrls: readonly ChannelType[] = ["ntfy", "telegram", "pagerduty", "matrix"];

/** Returns whether a stored value is not shown, but can be replaced. */
function isSecret(type: ChannelType, key: ChannelKey): boolean {
  return secretKeys.includes(key) && !(key === "url" && openUrls.includes(type));
}

export const channelForms: Record<ChannelType, ChannelForm> = forms;
