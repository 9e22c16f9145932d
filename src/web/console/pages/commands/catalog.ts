import type { Permission } from "../../../../platform/vocabulary/permissions.ts";
import type { IconName } from "../../kit/icons.tsx";
import {
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
import { listPath } from "../../threat-kit/filters.ts";

/** Something that the command bar offers. */
export interface Command {
  label: string;
  icon: IconName;
  path: string;
  /** Fields of a POST; absent: `path` is opened. */
  fields?: Record<string, string>;
  /** Permission that it needs in addition to that of its route. */
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
 * Actions in the order in which they are offered. Which of them a visitor may use follows from the permission of
 * their routes, or from `needs` if the action is a part of a page that everybody may read.
 */
export const actions: readonly Command[] = [
  {
    label: "Triage threats of high severity",
    icon: "threat",
    path: view({ severity: "high" }),
    needs: "decide",
    words: "decide",
  },
  { label: "Add a protected domain", icon: "plus", path: newDomainPath, words: "protect brand new" },
  { label: "Start a scan", icon: "scan", path: scansPath, needs: "scan", words: "look-alikes run" },
  {
    label: "Import names",
    icon: "download",
    path: sourcesPath,
    needs: "import",
    words: "upload file list submit",
  },
  { label: "Create an API key", icon: "key", path: `${keysPath}/create`, words: "token new" },
  {
    label: "Add a webhook endpoint",
    icon: "endpoint",
    path: `${webhooksPath}/add`,
    words: "integration new",
  },
  {
    label: "Add a channel",
    icon: "bell",
    path: newChannelPath,
    words: "notification slack teams mail ntfy new",
  },
  {
    label: "Add a subscription",
    icon: "bell",
    path: newSubscriptionPath,
    words: "notification alert digest",
  },
  { label: "Recent decisions", icon: "history", path: decisionsPath, words: "undo revert" },
  {
    label: "Undo the last decision",
    icon: "undo",
    path: undoTriagePath,
    fields: { act: "latest", back: threatsPath },
    words: "revert restore",
    keys: "u",
  },
  {
    label: "Show resolved threats",
    icon: "ok",
    path: view({ status: "resolved", sort: "status_changed" }),
  },
  {
    label: "Show false positives",
    icon: "not",
    path: view({ status: "false_positive", sort: "status_changed" }),
  },
  { label: "Show failed sign-ins", icon: "lock", path: failedSignInsPath, words: "password audit" },
  { label: "Invite a user", icon: "people", path: inviteUserPath, words: "account person team add new" },
  {
    label: "Change your password",
    icon: "lock",
    path: accountPath,
    words: "account one-time codes sessions authenticator",
  },
  {
    label: "Change the theme, the time zone, or the density",
    icon: "theme",
    path: preferencesPath,
    words: "preferences colors dark light compact",
  },
  { label: "Keyboard shortcuts", icon: "info", path: shortcutsPath, words: "keys help", keys: "?" },
  { label: "Manual", icon: "info", path: "/docs", words: "help documentation" },
  { label: "API reference", icon: "info", path: "/docs/api", words: "help documentation openapi" },
  { label: "Sign out", icon: "out", path: signOutPath, fields: {}, words: "log out leave session" },
];

/** Returns the words of a query in lower case. */
export function wordsOf(query: string): string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Returns the commands that contain every word, those that begin with the first one first. */
export function matchCommands(commands: readonly Command[], words: readonly string[]): Command[] {
  const [first] = words;
  if (first === undefined) return [...commands];
  const found = commands.filter(({ label, words: more = "", hint = "" }) => {
    const text = `${label} ${hint} ${more}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const startsWithIt = ({ label }: Command) => Number(label.toLowerCase().startsWith(first));
  return found.toSorted((a, b) => startsWithIt(b) - startsWithIt(a));
}
