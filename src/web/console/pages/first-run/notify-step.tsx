import type { ChannelType } from "../../../../platform/vocabulary/channels.ts";
import { FormError } from "../../kit/components.tsx";
import { Button, Form, Select, TextField } from "../../kit/form.tsx";
import { Icon } from "../../kit/icons.tsx";
import { Text } from "../../kit/name.tsx";
import { usePage } from "../../kit/page-context.ts";
import {
  newChannelPath,
  recipientPath,
  notificationsPath,
  webhooksPath,
  welcomePath,
} from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { SkipStep } from "./step-links.tsx";

/** Services that need an address only; the others have a page of their own. */
export const simpleServices = [
  "email",
  "slack",
  "teams",
  "discord",
  "mattermost",
  "google_chat",
] as const satisfies readonly ChannelType[];

/** Fields of the form as they were typed. */
export interface NewChannelInput {
  type: string;
  address: string;
  error: string | undefined;
}

export function NotifyStep(props: {
  services: Context<"channels" | "config" | "deliveries">["services"];
  done: boolean;
  given: NewChannelInput | undefined;
}) {
  const { services, done, given = { type: "email", address: "", error: undefined } } = props;
  const { may } = usePage();
  const recipients = services.deliveries.recipients.listAll().filter(({ enabled }) => enabled);
  const choices = simpleServices
    .filter((type) => type !== "email" || services.config.smtp !== null)
    .map((type) => ({ value: type, label: services.channels.label(type) }));
  return (
    <>
      {recipients.length === 0 ? null : (
        <ul class="s">
          {recipients.map((recipient) => (
            <li class="line tight nowrap">
              <Icon name="bell" />
              <a class="ink cut" href={recipientPath(recipient) ?? notificationsPath}>
                <Text text={recipient.name} charactersMax={60} />
              </a>
              <span class="faint">{services.deliveries.nounOf(recipient.channel)}</span>
            </li>
          ))}
        </ul>
      )}
      {may("administer") && (!done || given.error !== undefined) ? (
        <Form action={`${welcomePath}/channel`} class="stack">
          <FormError message={given.error} />
          <Select label="Service" name="type" choices={choices} value={given.type} />
          <TextField
            label="Webhook URL or email address"
            name="address"
            value={given.address}
            required
            maxLength={2_000}
            hint={
              services.config.smtp === null
                ? "The URL that the service shows when you add an incoming webhook. Email needs [smtp] in the configuration file."
                : "The URL that the service shows when you add an incoming webhook, or an email address."
            }
          />
          <p class="hint">
            It is sent new threats of medium and high severity at once. You can refine that later.
          </p>
          <div class="line">
            <Button label="Add" variant="primary" />
            <SkipStep step="notify" done={false} />
          </div>
        </Form>
      ) : (
        <div class="line">
          <SkipStep step="notify" done={done} />
        </div>
      )}
      {may("administer") ? (
        <p class="s">
          Others: <a href={newChannelPath}>all services</a>,{" "}
          <a href={`${webhooksPath}/add`}>a webhook endpoint for a program</a>
        </p>
      ) : null}
    </>
  );
}
