/**
 * Signs a data update with the lists of the repository, and with a newer list of public suffixes if one is given:
 *   scripts/bun scripts/make-data-update.ts --key KEY.pem --data-version 2026-11-22 [--suffixes public_suffix_list.dat] OUT
 * KEY.pem is created with `phishwatch data key KEY.pem`. Appliances accept the update if its public key is in their
 * `data.trusted_keys` or in `src/operations/data-updates/project-keys.ts`. This runs `phishwatch data make`.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { listDefinitions } from "../src/operations/data-updates/list-definitions.ts";
import type { ListName } from "../src/platform/lib/lists/list-texts.ts";

const top = join(import.meta.dir, "..");
const files: [ListName, string][] = [
  ["certificate_logs", "src/engines/certificate-transparency/log-list/log-list.json.txt"],
  ["rdap_services", "src/facts/lookups/registration/data/rdap-services.txt"],
  ["whois_servers", "src/facts/lookups/registration/data/whois-servers.txt"],
  ["address_registries", "src/facts/lookups/network/data/address-registries.txt"],
  ["words", "src/engines/detection/data/words.txt"],
  ["common_words", "src/engines/detection/data/common-words.txt"],
  ["popular_names", "src/engines/detection/data/popular-names.txt"],
  ["keywords", "src/engines/detection/data/keywords.txt"],
];

const { values, positionals } = parseArgs({
  options: { key: { type: "string" }, "data-version": { type: "string" }, suffixes: { type: "string" } },
  allowPositionals: true,
});
const { key, "data-version": version, suffixes } = values;
const [out] = positionals;
if (key === undefined || version === undefined || out === undefined)
  throw new Error("--key FILE, --data-version VERSION and the path of the new file are needed");
const lists = files.map(([name, path]) => `${name}=${join(top, path)}@${listDefinitions[name].embeddedDate}`);
if (suffixes !== undefined) lists.push(`public_suffixes=${suffixes}`);
const make = ["data", "make", out, "--key", key, "--data-version", version];
const { exitCode } = Bun.spawnSync(
  [process.execPath, join(top, "src/main.ts"), ...make, ...lists.flatMap((list) => ["--list", list])],
  { stdio: ["ignore", "inherit", "inherit"] },
);
process.exitCode = exitCode;
