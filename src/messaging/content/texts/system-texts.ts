import { defangText } from "../defang.ts";
import { content, type NoticeContent } from "./content.ts";
import type { ConsoleLinks } from "./links.ts";

/** A condition of the appliance that began or ended, or news, which have no end. */
export interface ConditionChange {
  /** The same when it begins and when it ends. */
  key: string;
  /** Null for news. */
  phase: "began" | "ended" | null;
  title: string;
  text: string;
  /** Where its subject is shown; absent: on the system page. */
  page?: ConditionPage;
}

/** A page of the console; for an endpoint or channel, with its ID, for a report with its number. */
export type ConditionPage =
  "sources" | "scans" | "takedowns" | { endpoint: string } | { channel: string } | { report: number };

/** Returns the message about a condition of the appliance. */
export function conditionChanged(
  { key, phase, title, text, page }: ConditionChange,
  links: ConsoleLinks,
): NoticeContent {
  return content({
    kind: "system",
    tone: phase === null ? "neutral" : phase === "began" ? "medium" : "good",
    title: defangText(title),
    summary: defangText(text, 600),
    links: [linkTo(page, links)],
    condition: phase === null ? null : { key, phase },
  });
}

function linkTo(page: ConditionPage | undefined, links: ConsoleLinks) {
  if (page === undefined) return links.system();
  if (typeof page === "string") return links[page]();
  if ("report" in page) return links.report(page.report);
  return "endpoint" in page ? links.endpoint(page.endpoint) : links.channel(page.channel);
}

/** Returns the message that tries a channel. */
export function testMessage(channelName: string, links: ConsoleLinks): NoticeContent {
  return content({
    kind: "test",
    tone: "neutral",
    title: "Test message from phishwatch",
    summary: `If you can read this, the channel "${defangText(channelName, 100)}" works.`,
    links: [links.system()],
  });
}
