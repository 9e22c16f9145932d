import type { ChannelKey, ChannelType } from "../../../../platform/vocabulary/channels.ts";

/** Fields of the form for each type of channel. */

export interface ChannelField {
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
export function isSecret(type: ChannelType, key: ChannelKey): boolean {
  return secretKeys.includes(key) && !(key === "url" && openUrls.includes(type));
}

const webhookUrl = (hint: string, placeholder: string): ChannelForm["fields"] => ({
  url: { label: "Webhook URL", hint, placeholder },
});

export const channelForms: Record<ChannelType, ChannelForm> = {
  slack: {
    purpose: "A channel of a Slack workspace.",
    fields: webhookUrl(
      "In Slack, open api.slack.com/apps, create an app, turn on Incoming Webhooks, add a webhook to a channel, and copy its URL.",
      "https://hooks.slack.com/services/…",
    ),
  },
  teams: {
    purpose: "A channel or chat in Microsoft Teams, with a workflow.",
    fields: webhookUrl(
      "In Teams, open the menu of the channel, choose Workflows, and add the template that posts to a channel when a webhook request is received. It shows the URL at the end.",
      "https://….logic.azure.com/workflows/…",
    ),
  },
  discord: {
    purpose: "A channel of a Discord server.",
    fields: webhookUrl(
      "In Discord, open Edit channel, Integrations, Webhooks, create a webhook, and copy its URL.",
      "https://discord.com/api/webhooks/…",
    ),
  },
  mattermost: {
    purpose: "A channel of a Mattermost server.",
    fields: webhookUrl(
      "In Mattermost, open Integrations, Incoming webhooks, add one for the channel, and copy its URL.",
      "https://mattermost.example.com/hooks/…",
    ),
  },
  google_chat: {
    purpose: "A space in Google Chat.",
    fields: webhookUrl(
      "In Google Chat, open the menu of the space, Apps & integrations, Webhooks, add a webhook, and copy its URL.",
      "https://chat.googleapis.com/v1/spaces/…",
    ),
  },
  ntfy: {
    purpose: "Push messages to phones and desktops, over ntfy.sh or your own server.",
    fields: {
      topic: {
        label: "Topic",
        hint: "The topic that you subscribe to in the app. Choose a name that nobody can guess: unless the server protects it, everyone who knows it can read the messages.",
        placeholder: "phishwatch-8f3kq2",
      },
      url: {
        label: "Server",
        hint: "Leave empty for https://ntfy.sh.",
        placeholder: "https://ntfy.example.com",
      },
      token: {
        label: "Access token",
        hint: "Only for a protected topic. In ntfy, open Account, Access tokens.",
        placeholder: "tk_…",
      },
    },
  },
  telegram: {
    purpose: "A chat or group in Telegram, written to by a bot of yours.",
    fields: {
      token: {
        label: "Token of the bot",
        hint: "Write /newbot to @BotFather in Telegram. It responds with the token.",
        placeholder: "123456789:…",
      },
      chat_id: {
        label: "Chat",
        hint: "Add the bot to the chat. The ID is a number, negative for groups; a public channel has a name such as @security_alerts.",
        placeholder: "-1001234567890",
      },
      url: {
        label: "Server",
        hint: "Leave empty for https://api.telegram.org.",
        placeholder: "https://api.telegram.org",
      },
    },
  },
  pagerduty: {
    purpose: "Incidents for the people on call. A resolved threat resolves its incident.",
    fields: {
      routing_key: {
        label: "Integration key",
        hint: "In PagerDuty, open the service, Integrations, add Events API V2, and copy its integration key of 32 characters.",
      },
      url: {
        label: "Server",
        hint: "Leave empty for accounts in the US. For accounts in the EU: https://events.eu.pagerduty.com",
        placeholder: "https://events.pagerduty.com",
      },
    },
  },
  matrix: {
    purpose: "A room on a Matrix server, without encryption.",
    fields: {
      url: {
        label: "Server",
        hint: "Address of the homeserver of the account that writes.",
        placeholder: "https://matrix.example.org",
      },
      room: {
        label: "Room",
        hint: "In Element, open the settings of the room, Advanced, and copy the internal room ID. Invite the account to the room.",
        placeholder: "!abc:example.org",
      },
      token: {
        label: "Access token",
        hint: "In Element, signed in with the account that writes, open All settings, Help & About, Access token.",
      },
    },
  },
  email: {
    purpose: "Mailboxes and distribution lists, over your mail server.",
    fields: {
      to: {
        label: "Recipients",
        hint: "One address per line, such as soc@example.com.",
      },
    },
  },
  template: {
    purpose: "Any other service that accepts JSON over HTTP.",
    fields: {
      url: { label: "URL", hint: "Each message is sent there with POST.", placeholder: "https://" },
      template: {
        label: "Body of the request",
        hint: "JSON, with {{title}}, {{summary}}, {{text}} and others for what changes. The manual lists all of them.",
        placeholder: '{"text": "{{title}}"}',
      },
      token: { label: "Access token", hint: "Sent as Authorization: Bearer. Leave empty if none is needed." },
      headers: { label: "Custom headers", hint: "One per line, such as X-Team: security." },
    },
  },
};
