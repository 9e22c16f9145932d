import {
  originText,
  stateText,
  type EntryPresentation,
  disabledField,
  field,
} from "../../../access/entries/presentation.ts";
import { jsonFields } from "../../../platform/lib/key-names.ts";
import { optionalIsoTime, toIsoTime } from "../../../platform/lib/clock.ts";
import { grouped } from "../../../platform/lib/wording.ts";
import { severities, statuses } from "../../../platform/vocabulary/threats.ts";
import { describeFilter, type List } from "./list.ts";
import type { Lists } from "./lists.ts";

export const listPresentation: EntryPresentation<List, { lists: Lists }> = {
  noun: "list",
  group: "lists",
  summary: "block lists for resolvers and firewalls",
  example: "block",
  service: ({ lists }) => lists,
  commands: {
    list: {
      summary: "list the block lists (addresses are shown by 'lists show')",
      purpose: "lists and their last downloads",
    },
    show: { summary: "show a block list and its addresses, which contain the token" },
    add: {
      summary: "add a block list",
    },
    change: {
      summary: "change the filter of a block list",
    },
    rotate: {
      summary: "replace the token of a block list; its old addresses end at once",
      purpose: "after an address has leaked",
    },
    enable: { summary: "enable a block list" },
    disable: {
      summary: "disable a block list; its addresses return 404",
    },
    remove: { summary: "remove a block list; its addresses return 404" },
  },
  fields: [
    field("statuses", { choices: statuses }, "--status <status>", "list threats with this status", {
      control: {
        key: "statuses",
        label: "Status of the threats",
        hint: "Resolved threats may come back: list them for as long as you want to block them.",
      },
    }),
    field(
      "minSeverity",
      { choice: severities, plural: "severities" },
      "--min-severity <severity>",
      "minimum severity",
      {
        control: {
          key: "min_severity",
          label: "Minimum severity",
          help: {
            about: "the minimum severity of a list",
            text: "Only threats of this severity or a higher one are listed, and blocked by those who use the list.",
            manual: "block-lists#what-is-listed",
          },
        },
      },
    ),
    field(
      "verifiedOnly",
      "yes_no",
      "--verified <yes|no>",
      "only threats whose name is known to exist or whose page was seen",
      {
        control: {
          key: "verified_only",
          label: "Only verified threats: the name is known to exist, or its page was seen",
        },
      },
    ),
    field(
      "protectedDomains",
      "protected_domains",
      "--domain <domain>",
      "only threats to this protected domain",
      { control: { key: "protected_domains", label: "Protected domains" } },
    ),
    field("protectedDomains", { clear: [] }, "--all-domains", "threats to all protected domains"),
    field(
      "maxAgeMs",
      { duration: 'a duration such as 12h or 30d, or "" for always' },
      "--max-age <duration>",
      `list a threat for this long after it was first seen, such as 30d; "" for always`,
      {
        control: {
          key: "max_age",
          label: "Maximum age",
          placeholder: "30d",
          maxLength: 20,
          hint: "Such as 30d. Leave empty to list threats for as long as they match.",
          help: {
            about: "the maximum age",
            text: "A threat leaves the list this long after it was first seen, whatever its status.",
            manual: "block-lists#what-is-listed",
          },
        },
      },
    ),
    field(
      "token",
      "secret",
      "--token-file <file>",
      'take the token from this file, or from standard input for "-" (default: generated)',
      { in: ["add", "rotate"] },
    ),
    disabledField,
  ],
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
