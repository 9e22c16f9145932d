import { webhookKind } from "../../../../messaging/channels/webhook/endpoint.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { parseNameQuery } from "../../../../threats/index/columns/name-query.ts";
import type { FoundThreat } from "../../../../threats/index/threat-index.ts";
import { channelPath, domainPath, namesPath, originPath, recipientPath } from "../../kit/paths.ts";
import type { Context, NavigationEntry } from "../../shell/router.ts";
import { listPath } from "../../threat-kit/filters.ts";
import { actions, matchCommands, wordsOf, type Command } from "./catalog.ts";

export const commandServices = ["channels", "domains", "sources", "threatIndex", "webhooks"] as const;
export type PageEntry = Pick<NavigationEntry, "label" | "path" | "icon" | "keys">;
export type CommandContext = Context<(typeof commandServices)[number]>;

/** Results of one search, in the order in which they are shown. */
export interface Found {
  threats: readonly FoundThreat[];
  groups: readonly { title: string; max: number; commands: readonly Command[] }[];
}

const threatsMax = 6;
/** Matches that are ranked: names that begin with the text come first. */
const threatsRankedMax = 40;
const domainsMax = 5;
const actionsMax = 7;
const pagesMax = 7;
const namedMax = 4;
/** One character is in most names. */
const threatQueryCharactersMin = 2;

/**
 * Finds threats, protected domains, actions, pages and recipients by parts of their names. Without a query: actions
 * and pages.
 */
export async function findCommands(
  { services }: CommandContext,
  { text, pages }: { text: string; pages: readonly PageEntry[] },
): Promise<Found> {
  const words = wordsOf(text);
  const match = (commands: readonly Command[]) => matchCommands(commands, words);
  const opened = match(pages);
  const done = match(actions);
  if (words.length === 0)
    return {
      threats: [],
      groups: [
        { title: "Actions", max: actionsMax, commands: done },
        { title: "Go to", max: opened.length, commands: opened },
      ],
    };
  return {
    threats: text.length < threatQueryCharactersMin ? [] : await findThreats(services.threatIndex(), text),
    groups: [
      { title: "Protected domains", max: domainsMax, commands: match(protectedDomains(services)) },
      { title: "Actions", max: actionsMax, commands: [...done, ...searches(text)] },
      { title: "Go to", max: pagesMax, commands: opened },
      { title: "Sources and recipients", max: namedMax, commands: match(named(services)) },
    ],
  };
}

async function findThreats(index: ReturnType<CommandContext["services"]["threatIndex"]>, text: string) {
  await index.prepare();
  const filter = { text: parseNameQuery(text) };
  const order = { key: "severity", descending: true } as const;
  const { threats } = await index.search(filter, order, { page: 1, perPage: threatsRankedMax });
  const begins = ({ domain }: FoundThreat) => Number(domain.startsWith(text.toLowerCase()));
  return threats.toSorted((a, b) => begins(b) - begins(a)).slice(0, threatsMax);
}

/** Places where the text can be searched for in full. */
function searches(text: string): Command[] {
  const shown = `“${visible(text, 60)}”`;
  const query = new URLSearchParams({ q: text });
  return [
    { label: `Filter threats by ${shown}`, icon: "filter", path: listPath(query, { status: "all" }) },
    { label: `Search all names seen for ${shown}`, icon: "search", path: `${namesPath}?${query.toString()}` },
  ];
}

function protectedDomains({ domains }: Pick<CommandContext["services"], "domains">): Command[] {
  return domains.list().map(({ domain, keywords }) => ({
    label: domain,
    icon: "domain",
    path: domainPath(domain),
    words: keywords.join(" "),
  }));
}

function named({ channels, sources, webhooks }: Omit<CommandContext["services"], "domains">): Command[] {
  return [
    ...webhooks.endpoints.list().map(({ id, name }) => ({
      label: visible(name, 80),
      icon: "endpoint" as const,
      hint: "webhook endpoint",
      path: recipientPath({ channel: webhookKind, id })!,
    })),
    ...channels.list().map(({ id, name, type }) => ({
      label: visible(name, 80),
      icon: "bell" as const,
      hint: `${type} channel`,
      path: channelPath(id),
    })),
    ...sources.map((source) => ({
      label: visible(source.name, 80),
      icon: "source" as const,
      hint: source.kind,
      path: originPath(source),
    })),
  ];
}
