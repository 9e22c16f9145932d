import { wordsForPeople } from "../../../access/accounts/account-names.ts";
import { hostFields } from "../../../threats/index/columns/hosts.ts";
import type { SearchFilter } from "../../../threats/index/threat-index.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import type { Indicator } from "../../../threats/threats/severity/indicators.ts";
import { hostLabels, indicatorLabels, inWords } from "../kit/labels.ts";
import { hostParameters } from "./filters.ts";

/** A filter of the view, as a chip shows it. */
export interface ActiveFilter {
  /** Name of its parameter. */
  name: string;
  label: string;
  value: string;
  /** Changes of the view's parameters that remove it. */
  without: Record<string, string | undefined>;
}

const valueCharactersMax = 60;

/** Parameters with a chip, in the order of the chips, with the label and the value in words. */
const chips: readonly (readonly [name: string, label: string, value: (given: string) => string])[] = [
  ["severity", "Severity is", inWords],
  ["domain", "Domain is", (domain) => domain],
  ["assignee", "Assigned to", assigneeInWords],
  ["overdue", "Due time:", () => "overdue"],
  ["site_state", "Site is", (states) => states.replaceAll(",", " or ")],
  ["campaign", "Campaign is", (number) => number],
  ["type", "Type is", inWords],
  ["sign", "Evidence:", (given) => indicatorLabels[given as Indicator]],
  ["verified", "Verified:", (given) => given],
  ["source", "Source is", inWords],
  ["from", "First seen from", utcTime],
  ["to", "First seen to", utcTime],
  ["similarity", "Similarity at least", (value) => value],
  ...hostFields.map(
    (field) => [hostParameters[field], `${hostLabels[field]} is`, (host: string) => host] as const,
  ),
  ["import", "New from", () => "one import"],
  ["scan", "New from", () => "one scan"],
];

/** Returns the value of the parameter `assignee` in words. */
function assigneeInWords(given: string): string {
  if (given === wordsForPeople.own) return "you";
  return given === wordsForPeople.nobody ? "nobody" : given;
}

/** Formats a day, or a time down to the minute: `2026-01-13 UTC`, `2026-01-13 06:20 UTC`. */
function utcTime(given: string): string {
  return `${given.replace("T", " ").replace("Z", "")} UTC`;
}

/** Returns the filters of a valid view, except the text of the search field. */
export function activeFilters(query: URLSearchParams, { status }: SearchFilter): ActiveFilter[] {
  const ofStatus: ActiveFilter[] =
    status === undefined
      ? []
      : [{ name: "status", label: "Status is", value: inWords(status), without: { status: "all" } }];
  const others = chips.flatMap(([name, label, valueOf]) => {
    const given = query.get(name);
    if (given === null) return [];
    return {
      name,
      label,
      value: visible(valueOf(given), valueCharactersMax),
      without: { [name]: undefined },
    };
  });
  return [...ofStatus, ...others];
}
