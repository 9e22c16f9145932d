/**
 * Lists that the executable contains, and that a data update can replace. Like the embedded texts, a replaced text is a
 * constant of the process: it is set before the first use, by the code that loads the configuration and by the start of
 * a thread, and never changes afterward.
 */
export const listNames = [
  "public_suffixes",
  "certificate_logs",
  "rdap_services",
  "whois_servers",
  "address_registries",
  "words",
  "common_words",
  "popular_names",
  "keywords",
] as const;

export type ListName = (typeof listNames)[number];
export type ListTexts = Partial<Record<ListName, string>>;

let replaced: ListTexts | undefined;
let version: string | null = null;

/**
 * Replaces embedded lists in this process. Only the first call has an effect: a reload of the configuration must not mix
 * lists of different versions, some of which are already in use.
 * @param of version of the data update that contains them
 */
export function replaceLists(texts: ListTexts, of: string | null = null): void {
  if (replaced !== undefined) return;
  replaced = texts;
  version = of;
}

/** Returns the version of the data update that this process uses; null: the embedded lists only. */
export function listsVersion(): string | null {
  return version;
}

/** Returns what `replaceLists` has set, to set it in a thread, too. */
export function replacedLists(): ListTexts {
  return replaced ?? {};
}

/** Returns the lines of a list that are neither empty nor comments. */
export function linesOfList(text: string): string[] {
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

/** Returns the text of a list, from the update if there is one. */
export function listText(name: ListName, embedded: string): string {
  return replaced?.[name] ?? embedded;
}
