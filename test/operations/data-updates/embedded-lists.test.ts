import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseLogList } from "../../../src/engines/certificate-transparency/log-list/log-list.ts";
import { toIsoTime } from "../../../src/platform/lib/clock.ts";
import { listNames, type ListName } from "../../../src/platform/lib/lists/list-texts.ts";
import { listDefinitions } from "../../../src/operations/data-updates/list-definitions.ts";
import { checkList } from "../../../src/operations/data-updates/update-file.ts";
import { publicSuffixList } from "../../support/suffix-list.ts";

const top = join(import.meta.dir, "../../..");
const text = (path: string) => readFileSync(join(top, path), "utf8");
const embedded: Record<ListName, string> = {
  public_suffixes: await publicSuffixList(),
  certificate_logs: text("src/engines/certificate-transparency/log-list/log-list.json.txt"),
  rdap_services: text("src/facts/lookups/registration/data/rdap-services.txt"),
  whois_servers: text("src/facts/lookups/registration/data/whois-servers.txt"),
  address_registries: text("src/facts/lookups/network/data/address-registries.txt"),
  words: text("src/engines/detection/data/words.txt"),
  common_words: text("src/engines/detection/data/common-words.txt"),
  popular_names: text("src/engines/detection/data/popular-names.txt"),
  keywords: text("src/engines/detection/data/keywords.txt"),
};

test.each([...listNames])(
  "The embedded list %s passes the validation of an update, and has clearly more entries than it needs",
  (name) => {
    expect(checkList(name, embedded[name])).toBeGreaterThan(listDefinitions[name].entriesMin * 1.5);
  },
);

test("The dates of the embedded lists are those of their contents", () => {
  const { certificate_logs: logs, public_suffixes: suffixes, rdap_services: rdap } = listDefinitions;
  const { timestamp } = parseLogList(embedded.certificate_logs);
  expect(logs.embeddedDate).toBe(toIsoTime(timestamp).slice(0, "2026-01-31".length));
  expect(embedded.rdap_services).toContain(rdap.embeddedDate);
  // tldts contains the list of its release. With another version, change the date.
  const { version } = JSON.parse(text("node_modules/tldts/package.json")) as { version: string };
  expect({ version, date: suffixes.embeddedDate }).toEqual({ version: "7.5.4", date: "2026-11-15" });
});
