import {
  originText,
  presentTexts,
  stateText,
  type EntryPresentation,
} from "../../../access/entries/presentation.ts";
import { jsonFields } from "../../../platform/lib/key-names.ts";
import { optionalIsoTime, toIsoTime } from "../../../platform/lib/clock.ts";
import { grouped } from "../../../platform/lib/wording.ts";
import { severities, statuses } from "../../../platform/vocabulary/threats.ts";
import { describeFilter, type List } from "./list.ts";
import type { Lists } from "./lists.ts";
import texts from "./presentation.json" with { type: "json" };

export const listPresentation: EntryPresentation<List, { lists: Lists }> = {
  ...presentTexts(texts, {
    statuses: { choices: statuses },
    minSeverity: { choice: severities, plural: "severities" },
  }),
  service: ({ lists }) => lists,
  columns: () => [
    { title: "contains", cell: describeFilter, elastic: true },
    { title: "from", cell: originText },
    { title: "state", cell: stateText },
    { title: "downloaded", cell: ({ fetchedAt }) => (fetchedAt === null ? "never" : { at: fetchedAt }) },
  ],
  facts: (list) => [
    ["contains", describeFilter(list)],
    ["protected domains", list.protectedDomains.join(", ") || "all"],
    ["names", grouped(list.names)],
    ["changed", { at: list.contentChangedAt }],
    ["from", originText(list)],
    ["state", stateText(list)],
    ["downloaded", downloadText(list)],
  ],
  json: (list) => ({
    ...jsonFields(list, "id name statuses minSeverity verifiedOnly protectedDomains maxAgeMs"),
    ...jsonFields(list, "enabled disabledReason origin names"),
    changed_at: toIsoTime(list.contentChangedAt),
    downloaded_at: optionalIsoTime(list.fetchedAt),
    downloaded_by: list.fetchedBy,
    ...jsonFields(list, "createdAt"),
  }),
};

function downloadText({ fetchedAt, fetchedBy }: List): string | null {
  if (fetchedAt === null) return null;
  return `${toIsoTime(fetchedAt)}${fetchedBy === null ? "" : ` by ${fetchedBy}`}`;
}
