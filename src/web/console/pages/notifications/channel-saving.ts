import type { ChannelRecipient } from "../../../../messaging/channels/all/channels.ts";
import { propertyOf } from "../../../../messaging/channels/all/channel-target.ts";
import type { ChannelTarget } from "../../../../messaging/channels/http/notice-type.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import {
  keysOfChannel,
  type ChannelKey,
  type ChannelType,
} from "../../../../platform/vocabulary/channels.ts";
import { attempt, createFieldReader, readHeaders, splitList } from "../../kit/fields.ts";
import { redirect, type PageResult } from "../../kit/page-result.ts";
import { channelPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { testShown, type TestShown } from "../../delivery-kit/delivery-parts.tsx";
import { isSecret } from "./channel-fields.ts";
import {
  fieldsOf,
  inWordsOf,
  removal,
  showChannelForm,
  showNewChannel,
  type FormContext,
} from "./channel-form.tsx";

export const testOf = (id: string) => `test of ${id}`;

export async function addChannel(context: FormContext): Promise<PageResult> {
  const { form, services, by } = context;
  const type = services.channels.types.find((one) => one === form.get("type"));
  if (type === undefined) throw badRequest("Choose one of the services.");
  const name = (form.get("name") ?? "").trim();
  const { errors, field, isValid } = createFieldReader();
  const target = readTarget(form, { type, field });
  if (!isValid()) return showNewChannel(context, form, errors);
  const added = await attempt(() =>
    context.write(() => services.channels.add({ name, type, target }, { by })),
  );
  if (!added.ok) return showNewChannel(context, form, inWordsOf(type, added.errors));
  return finishSaving(context, added.value, `${name} has been added.`);
}

export async function changeChannel(context: FormContext, channel: ChannelRecipient): Promise<PageResult> {
  const { form, services, by } = context;
  const { type } = channel;
  const stored = services.channels.shown(channel).flatMap(({ key }) => (isSecret(type, key) ? [key] : []));
  const { errors, field, isValid } = createFieldReader();
  const target = readTarget(form, { type, field, stored });
  if (!isValid()) return showChannelForm(context, { type, form, channel, errors });
  const changed = await attempt(() =>
    context.write(() => services.channels.change(channel.id, target, { by })),
  );
  if (!changed.ok)
    return showChannelForm(context, { type, form, channel, errors: inWordsOf(type, changed.errors) });
  return finishSaving(context, changed.value, "Saved.");
}

async function finishSaving(
  context: FormContext,
  { id }: ChannelRecipient,
  done: string,
): Promise<PageResult> {
  if (context.form.get("test") === "yes") await keepTest(context, id);
  return redirect(channelPath(id), done);
}

/** Sends a test message, and keeps its result for the next page. */
export async function keepTest(context: Context<"channels">, id: string): Promise<void> {
  const result = await context.services.channels.test(id, { by: context.by });
  context.putOnce(testOf(id), testShown(result, result.advice) satisfies TestShown);
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
