import type { Severity, Status } from "../../platform/vocabulary/threats.ts";

/**
 * Content of a message for people, for all channels. Stored as JSON with the delivery: each attempt and each replay
 * sends the same content. All texts are plain text in English; names of threats in them are defanged
 * (`examp1e-bank[.]com`), so that no client makes them a link. A channel escapes the texts for its own markup.
 */
export interface Notice {
  /** Identifier of the message and of its event. The same in every attempt. */
  id: string;
  /** Subject of the message. `test`: a person tries the channel. */
  kind: "threat" | "threats" | "digest" | "visit" | "scan" | "system" | "test";
  /** RFC 3339. */
  at: string;
  /** Determines color, icon and priority. `good`: something ended well (a resolved threat, a source that runs again). */
  tone: Severity | "good" | "neutral";
  /** One line of at most 150 characters, also the subject of an email: "High: examp1e-bank[.]com, look-alike of example-bank.com". */
  title: string;
  /** One to three sentences. Empty if the title says everything. */
  summary: string;
  /** Facts: registration date, page, mail server, … At most 10. */
  facts: { label: string; value: string }[];
  /** Threats of a message about several, most severe first. At most 10. */
  items: NoticeItem[];
  /** Number of threats that are not among `items`. */
  more: number;
  /** Pages of the console, the most important first. Empty if no address is known. Never a page of a threat. */
  links: { text: string; url: string }[];
  /** The only threat that it is about; null: none or several. Threads an email, and is the key in PagerDuty. */
  threat: { id: string; status: Status } | null;
  /** Condition of a system message: the same key when it begins and when it ends. */
  condition: { key: string; phase: "began" | "ended" } | null;
}

export interface NoticeItem {
  /** Defanged. */
  name: string;
  protectedDomain: string;
  /** The title names the protected domain of all items, so their lines do not repeat it. */
  domainInTitle?: true;
  /** It is a page that imitates the protected site; its name need not resemble it. */
  isPage?: true;
  severity: Severity;
  /** First reason for the severity, as a short text. */
  reason: string;
  /** Page of the threat in the console; null if no address is known. */
  url: string | null;
}
