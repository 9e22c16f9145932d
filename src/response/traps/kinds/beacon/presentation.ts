import { presentationTexts, type TrapPresentation } from "../../presentation.ts";
import { ownHosts, type Beacon, type BeaconDetails, type NewBeacon } from "./details.ts";
import file from "./presentation.json" with { type: "json" };
import { beaconSnippets } from "./snippets.ts";

const { steps, ...texts } = presentationTexts(file);

export const beaconPresentation: TrapPresentation<NewBeacon, BeaconDetails> = {
  ...texts,
  read: ({ domain, allow }) => ({
    protectedDomain: String(domain ?? ""),
    ...(Array.isArray(allow) ? { allow: allow.map(String) } : {}),
  }),
  columns: ({ protectedDomain }) => [
    { label: "Protected domain", value: { hosts: [protectedDomain!.domain] } },
  ],
  facts: (beacon) => [
    { label: "Protected domain", value: { hosts: [beacon.protectedDomain!.domain] } },
    { label: "May be shown on", value: { hosts: ownHosts(beacon) } },
  ],
  deployment(beacon, { url }) {
    const { script, style, scriptHash } = snippetsOf(beacon, url);
    const snippets = [script, `script-src ${scriptHash}`, style];
    return snippets.map((snippet, index) => ({ ...steps[index]!, snippet }));
  },
  json(beacon, { url }) {
    const { script, style, scriptHash } = snippetsOf(beacon, url);
    return {
      protected_domain: beacon.protectedDomain!.domain,
      allow: beacon.details.allow,
      script,
      script_hash: scriptHash,
      style,
    };
  },
};

function snippetsOf(beacon: Beacon, url: string) {
  return beaconSnippets(url, ownHosts(beacon));
}
