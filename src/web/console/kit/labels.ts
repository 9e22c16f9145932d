import type { HostField } from "../../../threats/index/columns/hosts.ts";
import type { Indicator } from "../../../threats/threats/severity/indicators.ts";
import type { ThreatType } from "../../../platform/vocabulary/threats.ts";
import type { Role } from "../../../platform/vocabulary/permissions.ts";

/** Formats a value of the API for people: `false_positive` as `false positive`, `tld_squatting` as `TLD squatting`. */
export function inWords(value: string): string {
  return value.replaceAll("_", " ").replace(/^tld\b/, "TLD");
}

/** Descriptions of the types, for people who do not know the terms. */
export const typeDescriptions: Record<ThreatType, string> = {
  homograph: "Some characters only look like those of the protected domain.",
  bitsquatting:
    "One bit of a character is changed, as by a memory error of a computer that looks up the domain.",
  typosquatting: "The name contains a typing error.",
  tld_squatting: "The same name under another public suffix.",
  doppelganger: "A dot is left out or replaced, as in wwwexample.com.",
  levelsquatting: "The brand is in front of a domain that belongs to somebody else.",
  combosquatting: "The brand together with other words.",
  soundsquatting: "The name sounds like the brand, and is spelled differently.",
  cloned_site: "A copy of a page, whatever its name: found by inspecting the page, or reported by a beacon.",
};

/** Labels of who hosts a name. */
export const hostLabels: Record<HostField, string> = {
  registrar: "Registrar",
  nameServers: "Name server operator",
  network: "Network",
};

export const indicatorLabels: Record<Indicator, string> = {
  asks_for_secrets: "asks for a password or card",
  page_imitates: "imitates your page",
  looks_like_original: "looks like the original",
  receives_mail: "mail server",
  newly_registered: "newly registered",
  parked: "parked",
  leads_nowhere: "no server",
};

/** Describes what each role may do, for a sentence after the role. */
export const roleWords: Record<Role, string> = {
  viewer: "reads everything except secrets, and changes nothing",
  analyst: "reads, decides, assigns, adds notes, reports, inspects pages, imports names and starts scans",
  administrator: "may do everything, such as managing users, API keys and protected domains",
};
