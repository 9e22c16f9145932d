import { webhookKind } from "../../../../messaging/channels/webhook/endpoint.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { parseNameQuery } from "../../../../threats/index/columns/name-query.ts";
import type { FoundThreat } from "../../../../threats/index/threat-index.ts";
import type { Permission } from "../../../../platform/vocabulary/permissions.ts";
import {
  channelPath,
  domainPath,
  namesPath,
  originPath,
  recipientPath,
  accountPath,
  decisionsPath,
  failedSignInsPath,
  inviteUserPath,
  keysPath,
  newChannelPath,
  newDomainPath,
  newSubscriptionPath,
  scansPath,
  shortcutsPath,
  preferencesPath,
  signOutPath,
  sourcesPath,
  threatsPath,
  undoTriagePath,
  webhooksPath,
} from "../../kit/paths.ts";
import type { Context, NavigationEntry } from "../../shell/router.ts";
import { listPath } from "../../threat-kit/filters.ts";
import type { IconName } from "../../kit/inline.tsx";
import actionTexts from "./actions.json" with { type: "json" };

export type PageEntry = Pick<NavigationEntry, "label" | "path" | "icon" | "keys">;
export type CommandContext = Context<"channels" | "domains" | "sources" | "threatIndex" | "webhooks">;

/** Results of one search in the order of the page. */
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

/** Something that the command bar offers. */
export interface Command {
  label: string;
  icon: IconName;
  path: string;
  /** Fields of a POST; absent: `path` is opened. */
  fields?: Record<string, string>;
  /** Permission that it needs in addition to its route's. */
  needs?: Permission;
  /** Further words that find it. */
  words?: string;
  /** Said in a weaker color after the label. */
  hint?: string;
  /** Keyboard shortcut, such as `g t`. */
  keys?: string;
}

/** Characters of a query; longer ones are truncated. A domain name has at most 253. */
export const queryCharactersMax = 300;

const view = (query: Record<string, string>) => listPath(new URLSearchParams(query));

/**
 * Pages of the actions, in the order of the offer. The permission of a route decides who may use its action; `needs` decides
 * about an action that is a part of a page.
 */
const actionPaths: Record<keyof typeof actionTexts, string> = {
  triage: view({ severity: "high" }),
  add_domain: newDomainPath,
  start_scan: scansPath,
  import_names: sourcesPath,
  create_key: `${keysPath}/create`,
  add_webhook: `${webhooksPath}/add`,
  add_channel: newChannelPath,
  add_subscription: newSubscriptionPath,
  decisions: decisionsPath,
  undo: undoTriagePath,
  resolved: view({ status: "resolved", sort: "status_changed" }),
  false_positives: view({ status: "false_positive", sort: "status_changed" }),
  failed_sign_ins: failedSignInsPath,
  invite_user: inviteUserPath,
  password: accountPath,
  preferences: preferencesPath,
  shortcuts: shortcutsPath,
  manual: "/docs",
  api_reference: "/docs/api",
  sign_out: signOutPath,
};

/** Fields of the actions that are a POST. */
const actionFields: { [Name in keyof typeof actionTexts]?: Record<string, string> } = {
  undo: { act: "latest", back: threatsPath },
  sign_out: {},
};

const actions = (Object.keys(actionPaths) as (keyof typeof actionTexts)[]).map((name) => ({
  // The compiler does not know the texts of a JSON file; a test checks icons and permissions.
  ...(actionTexts[name] as Pick<Command, "label" | "icon" | "needs" | "words" | "keys">),
  path: actionPaths[name],
  fields: actionFields[name],
}));

/** Returns the words of a query in lower case. */
function wordsOf(query: string): string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Returns the commands that contain every word. Commands that begin with the first word come first. */
function matchCommands(commands: readonly Command[], words: readonly string[]): Command[] {
  const [first] = words;
  if (first === undefined) return [...commands];
  const found = commands.filter(({ label, words: more = "", hint = "" }) => {
    const text = `${label} ${hint} ${more}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const startsWithIt = ({ label }: Command) => Number(label.toLowerCase().startsWith(first));
  return found.toSorted((a, b) => startsWithIt(b) - startsWithIt(a));
}
