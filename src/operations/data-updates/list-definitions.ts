import { parseLogList } from "../../engines/certificate-transparency/log-list/log-list.ts";
import { parseSuffixRules } from "../../engines/detection/names/suffix.ts";
import { dayMs } from "../../platform/lib/clock.ts";
import type { ListName } from "../../platform/lib/lists/list-texts.ts";
import { parseRegistryLines } from "../../facts/lookups/network/address-registries.ts";
import { parseServiceLines } from "../../facts/lookups/registration/rdap-services.ts";
import { parseServerLines } from "../../facts/lookups/registration/whois-servers.ts";

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

export const listDefinitions: Record<ListName, ListDefinition> = {
  public_suffixes: {
    title: "public suffixes",
    embeddedDate: "2026-11-15",
    ageMsMax: 365 * dayMs,
    bytesMax: 2 * mebibyte,
    entriesMin: 5_000,
    count(text) {
      const { count, match } = parseSuffixRules(text);
      // They are on every list since the first one. Without them, the text is something else.
      const known = ["co.uk", "com.au", "github.io"];
      const missing = known.find((suffix) => match(`example.${suffix}`).suffix !== suffix);
      if (missing !== undefined) throw new Error(`${missing} is missing`);
      if (match("example.github.io").hosted !== true) throw new Error("has no private section");
      return count;
    },
  },
  certificate_logs: {
    title: "certificate logs",
    embeddedDate: "2026-05-29",
    ageMsMax: 180 * dayMs,
    bytesMax: 2 * mebibyte,
    entriesMin: 5,
    count: (text) => parseLogList(text).logs.length,
  },
  rdap_services: {
    title: "RDAP services",
    embeddedDate: "2026-05-24",
    ageMsMax: 365 * dayMs,
    bytesMax: mebibyte,
    entriesMin: 500,
    count(text) {
      const pairs = parseServiceLines(text);
      for (const [suffix, url] of pairs)
        if (!suffixForm.test(suffix) || !URL.canParse(url) || !/^https?:\/\/.*\/$/.test(url))
          throw new Error(`"${url} ${suffix}" is not a URL with a slash at its end and a suffix`);
      return pairs.length;
    },
  },
  whois_servers: {
    title: "WHOIS servers",
    embeddedDate: "2025-04-01",
    ageMsMax: 3 * 365 * dayMs,
    bytesMax: mebibyte,
    entriesMin: 200,
    count(text) {
      const servers = parseServerLines(text);
      for (const [suffix, server] of servers)
        if (!suffixForm.test(suffix) || !/^[a-z0-9.-]+(:\d{1,5})?$/.test(server))
          throw new Error(`"${server} ${suffix}" is not a host and a suffix`);
      return servers.size;
    },
  },
  address_registries: {
    title: "registries of IP addresses",
    embeddedDate: "2025-10-10",
    ageMsMax: null,
    bytesMax: mebibyte,
    entriesMin: 100,
    count(text) {
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
  },
  words: {
    title: "English words",
    embeddedDate: "2011-01-06",
    ageMsMax: null,
    bytesMax: 4 * mebibyte,
    entriesMin: 20_000,
    count(text) {
      const words = wordLines(text, /^[a-z]{3,14}$/);
      // Detection finds words by binary search.
      const unsorted = words.findIndex((word, index) => index > 0 && words[index - 1]! >= word);
      if (unsorted !== -1) throw new Error(`"${words[unsorted]}" is not in alphabetical order`);
      return words.length;
    },
  },
  common_words: {
    title: "common words",
    embeddedDate: "2011-01-06",
    ageMsMax: null,
    bytesMax: mebibyte,
    entriesMin: 500,
    count: (text) => wordLines(text, /^[a-z]{4,5}$/).length,
  },
  popular_names: {
    title: "popular names",
    embeddedDate: "2018-06-01",
    ageMsMax: null,
    bytesMax: mebibyte,
    entriesMin: 100,
    count: (text) => wordLines(text, /^[a-z0-9-]+(\.[a-z0-9-]+)+$/).length,
  },
  keywords: {
    title: "keywords of phishing names",
    embeddedDate: "2026-11-22",
    ageMsMax: null,
    bytesMax: mebibyte,
    entriesMin: 200,
    count(text) {
      const words = text
        .split("\n")
        .filter((line) => !line.startsWith("#"))
        .flatMap((line) => line.split(" "))
        .filter((word) => word !== "");
      const invalid = words.find((word) => !/^[a-z0-9-]{1,30}$/.test(word));
      if (invalid !== undefined) throw new Error(`"${invalid}" is not a word`);
      return words.length;
    },
  },
};

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
