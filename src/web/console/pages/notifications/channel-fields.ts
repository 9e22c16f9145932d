import type { ChannelKey, ChannelType } from "../../../../platform/vocabulary/channels.ts";
import forms from "./channel-forms.json" with { type: "json" };

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

export const channelForms: Record<ChannelType, ChannelForm> = forms;
