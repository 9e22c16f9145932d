import type { ChannelRecipient } from "../../../../messaging/channels/all/channels.ts";
import { propertyOf } from "../../../../messaging/channels/all/channel-target.ts";
import {
  channelKeys,
  keysOfChannel,
  type ChannelKey,
  type ChannelType,
} from "../../../../platform/vocabulary/channels.ts";
import { FormError, LinkButton, PageHead } from "../../kit/components.tsx";
import { wholeForm, type FieldErrors } from "../../kit/fields.ts";
import { Button, Checkbox, Form, HiddenFields, TextArea, TextField } from "../../kit/form.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import { channelPath, newChannelPath, notificationsPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { channelForms, isSecret, type ChannelField } from "./channel-fields.ts";

export type FormContext = Context<"channels" | "config">;

/** Prefix of the checkbox that removes a stored secret. */
export const removal = "remove_";

/** Step 1 of adding a channel: choosing the service. Step 2: its form. */
export function showNewChannel(
  context: FormContext,
  form = new URLSearchParams(),
  errors: FieldErrors = {},
): PageResult {
  const { channels } = context.services;
  // Nothing else is taken from the address: a link must not fill in where messages are sent.
  const given = form.get("type") ?? context.query.get("type");
  const type = channels.types.find((one) => one === given);
  return type === undefined ? chooseService(context) : showChannelForm(context, { type, form, errors });
}

function chooseService({ services: { channels } }: FormContext): PageResult {
  return page(
    "Add channel",
    <>
      <PageHead
        title="Add channel"
        crumbs={[{ label: "Notifications", path: notificationsPath }]}
        lead="Choose where your team reads messages."
      />
      <ul class="cols cols-3">
        {channels.types.map((type) => (
          <li class="card">
            <a href={`${newChannelPath}?type=${type}`}>{channels.label(type)}</a>
            <p class="hint">{channelForms[type].purpose}</p>
          </li>
        ))}
      </ul>
    </>,
  );
}

/** Form of a new channel, or of a change of `channel`. */
export function showChannelForm(
  { services: { channels, config } }: FormContext,
  {
    type,
    form,
    channel,
    errors = {},
  }: { type: ChannelType; form: URLSearchParams; channel?: ChannelRecipient; errors?: FieldErrors },
): PageResult {
  const service = channels.label(type);
  const title = channel === undefined ? `Add ${service} channel` : `Edit ${channel.name}`;
  const back =
    channel === undefined
      ? { label: "Choose another service", path: newChannelPath }
      : { label: channel.name, path: channelPath(channel.id) };
  const { required } = keysOfChannel[type];
  const needsMailServer = type === "email" && config.smtp === null;
  return page(
    title,
    <div class="narrow">
      <PageHead
        title={title}
        crumbs={[back]}
        lead={
          <>
            {channelForms[type].purpose}{" "}
            <a href={`/docs/channels#${manualSection(service, type)}`}>Setup in the manual</a>
          </>
        }
      />
      <FormError message={errors[wholeForm]} />
      {needsMailServer ? (
        <p>
          The mail server is declared in the configuration file. Set <code>host</code> and <code>from</code>{" "}
          of <code>[smtp]</code> there.
        </p>
      ) : (
        <Form action={channel === undefined ? newChannelPath : `${channelPath(channel.id)}/edit`}>
          {channel === undefined ? (
            <>
              <HiddenFields fields={{ type }} />
              <TextField
                label="Name"
                name="name"
                value={form.get("name") ?? ""}
                required
                maxLength={64}
                placeholder="team-chat"
                autofocus
                error={errors["name"]}
                hint="Subscriptions and the command line refer to the channel by its name."
              />
            </>
          ) : null}
          {fieldsOf(type).map(([key, field]) => (
            <Control
              name={key}
              field={field}
              value={form.get(key) ?? ""}
              required={required.includes(key)}
              error={errors[key]}
              stored={channel === undefined ? undefined : storedValue(channels.shown(channel), type, key)}
              remove={form.get(removal + key) === "yes"}
            />
          ))}
          <Checkbox
            label="Send a test message after saving"
            name="test"
            checked={Object.keys(errors).length === 0 || form.get("test") === "yes"}
          />
          <div class="line">
            <Button label={channel === undefined ? "Add channel" : "Save"} variant="primary" />
            <LinkButton path={back.path} label="Cancel" variant="plain" />
          </div>
        </Form>
      )}
    </div>,
    { status: Object.keys(errors).length === 0 ? 200 : 400 },
  );
}

/** Returns the anchor of the section about a service. */
function manualSection(service: string, type: ChannelType): string {
  return type === "template" ? "other-services" : service.toLowerCase().replaceAll(" ", "-");
}

export function fieldsOf(type: ChannelType): [ChannelKey, ChannelField][] {
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

function Control({
  name,
  field: { label, hint: where, placeholder },
  value,
  required,
  error,
  stored,
  remove,
}: {
  name: ChannelKey;
  field: ChannelField;
  value: string;
  required: boolean;
  error: string | undefined;
  /** Masked value of a stored secret. */
  stored: string | undefined;
  /** Whether the stored secret is to be removed. */
  remove: boolean;
}) {
  const hint =
    stored === undefined ? (
      where
    ) : (
      <>
        Stored: {stored}. Leave empty to keep it. {where}
      </>
    );
  const shared = { label, name, value, error, hint };
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
          {...(placeholder === undefined ? {} : { placeholder })}
        />
      )}
      {stored === undefined || required ? null : (
        <Checkbox label={`Remove the stored value of “${label}”`} name={removal + name} checked={remove} />
      )}
    </>
  );
}

/** Returns the initial values of the form for a change. Stored secrets are left out. */
export function formOf({ type, target }: ChannelRecipient): URLSearchParams {
  const form = new URLSearchParams();
  for (const [key] of fieldsOf(type)) {
    const value = target[propertyOf[key]];
    if (isSecret(type, key) || value === null) continue;
    form.set(key, typeof value === "string" ? value : Array.isArray(value) ? value.join("\n") : "");
  }
  return form;
}

/** Replaces the key at the beginning of each message by the label of its field. */
export function inWordsOf(type: ChannelType, errors: FieldErrors): FieldErrors {
  const { fields } = channelForms[type];
  return Object.fromEntries(
    Object.entries(errors).map(([key, message]) => {
      const label = Object.entries(fields).find(([one]) => one === key)?.[1].label;
      // Messages begin with a capital letter, whatever they are about.
      const isNamed = label !== undefined && new RegExp(`^${key}\\b`, "i").test(message);
      return [key, isNamed ? `${label}${message.slice(key.length)}` : message];
    }),
  );
}
