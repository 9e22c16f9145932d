import { parseLogList } from "../../engines/certificate-transparency/log-list/log-list.ts";
import { parseSuffixRules } from "../../engines/detection/names/suffix.ts";
import { dayMs } from "../../platform/lib/clock.ts";
import { listNames, type ListName } from "../../platform/lib/lists/list-texts.ts";
import { parseRegistryLines } from "../../facts/lookups/network/address-registries.ts";
import { parseServiceLines } from "../../facts/lookups/registration/rdap-services.ts";
import { parseServerLines } from "../../facts/lookups/registration/whois-servers.ts";
import definitions from "./list-definitions.json" with { type: "json" };

/** A list that the executable contains, and that a data update can replace. */
export interface ListDefinition {
  /** Name in sentences. */
  title: string;
  /** Date of the embedded text, `2026-05-29`. */
  embeddedDate: string;
  /** Age from which `check` warns; null: the list does not age. */
  ageMsMax: number | null;
  bytesMax: number;
  /** A list with fewer entries is taken as an error: it would hide names or servers. */
  entriesMin: number;
  /** Returns the number of entries. @throws an error that says what is wrong with the text */
  count(text: string): number;
}

const mebibyte = 2 ** 20;
const suffixForm = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){0,3}$/;

/** Returns the number of entries of a list. @throws an error that says what is wrong with the text */
const counts: Record<ListName, (text: string) => number> = {
  public_suffixes(text) {
    const { count, match } = parseSuffixRules(text);
    // They are on every list since the first one. Without them, the text is something else.
    const known = ["co.uk", "com.au", "github.io"];
    const missing = known.find((suffix) => match(`example.${suffix}`).suffix !== suffix);
    if (missing !== undefined) throw new Error(`${missing} is missing`);
    if (match("example.github.io").hosted !== true) throw new Error("has no private section");
    return count;
  },
  certificate_logs: (text) => parseLogList(text).logs.length,
  rdap_services(text) {
    const pairs = parseServiceLines(text);
    for (const [suffix, url] of pairs)
      if (!suffixForm.test(suffix) || !URL.canParse(url) || !/^https?:\/\/.*\/$/.test(url))
        throw new Error(`"${url} ${suffix}" is not a URL with a slash at its end and a suffix`);
    return pairs.length;
  },
  whois_servers(text) {
    const servers = parseServerLines(text);
    for (const [suffix, server] of servers)
      if (!suffixForm.test(suffix) || !/^[a-z0-9.-]+(:\d{1,5})?$/.test(server))
        throw new Error(`"${server} ${suffix}" is not a host and a suffix`);
    return servers.size;
  },
  address_registries(text) {
    const blocks = parseRegistryLines(text);
    for (const { registry } of blocks)
      if (
        !/^https?:\/\/\S*\/$/.test(registry.rdapUrl) ||
        !/^[a-z0-9.-]+(:\d{1,5})?$/.test(registry.whoisServer)
      )
        throw new Error(
          `"${registry.rdapUrl} ${registry.whoisServer}" is not a URL with a slash at its end and a host`,
        );
    return blocks.length;
  },
  words(text) {
    const words = wordLines(text, /^[a-z]{3,14}$/);
    // Detection finds words by binary search.
    const unsorted = words.findIndex((word, index) => index > 0 && words[index - 1]! >= word);
    if (unsorted !== -1) throw new Error(`"${words[unsorted]}" is not in alphabetical order`);
    return words.length;
  },
  common_words: (text) => wordLines(text, /^[a-z]{4,5}$/).length,
  popular_names: (text) => wordLines(text, /^[a-z0-9-]+(\.[a-z0-9-]+)+$/).length,
  keywords(text) {
    const words = text
      .split("\n")
      .filter((line) => !line.startsWith("#"))
      .flatMap((line) => line.split(" "))
      .filter((word) => word !== "");
    const invalid = words.find((word) => !/^[a-z0-9-]{1,30}$/.test(word));
    if (invalid !== undefined) throw new Error(`"${invalid}" is not a word`);
    return words.length;
  },
};

export const listDefinitions = Object.fromEntries(
  listNames.map((name): [ListName, ListDefinition] => {
    const { ageDaysMax, mebibytesMax, ...definition } = definitions[name];
    const ageMsMax = ageDaysMax === null ? null : ageDaysMax * dayMs;
    return [name, { ...definition, ageMsMax, bytesMax: mebibytesMax * mebibyte, count: counts[name] }];
  }),
) as Record<ListName, ListDefinition>;

/** Returns the lines after the comments at the beginning. Detection expects such a comment, and a line feed at the end. */
function wordLines(text: string, form: RegExp): string[] {
  if (!text.startsWith("#")) throw new Error("does not begin with a comment line (#)");
  if (!text.endsWith("\n")) throw new Error("does not end with a line feed");
  const lines = text.slice(0, -1).split("\n");
  const words = lines.slice(lines.findLastIndex((line) => line.startsWith("#")) + 1);
  const invalid = words.find((word) => !form.test(word));
  if (invalid !== undefined) throw new Error(`"${invalid.slice(0, 60)}" is not a valid entry`);
  return words;
}
