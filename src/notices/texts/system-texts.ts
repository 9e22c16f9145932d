import { defangText } from "../defang.ts";
import { content, type NoticeContent } from "./content.ts";
import type { ConsoleLinks } from "./links.ts";

/** A condition of the appliance that began or ended, or news, which have no end. */
export interface Condition {
  /** The same when it begins and when it ends. */
  key: string;
  /** Null for news. */
  phase: "began" | "ended" | null;
  title: string;
  text: string;
}

/** Returns the message about a condition of the appliance. */
export function conditionChanged({ key, phase, title, text }: Condition, links: ConsoleLinks): NoticeContent {
  return content({
    kind: "system",
    tone: phase === null ? "neutral" : phase === "began" ? "medium" : "good",
    title: defangText(title),
    summary: defangText(text, 600),
    links: [links.system()],
    condition: phase === null ? null : { key, phase },
  });
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
