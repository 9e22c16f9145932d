import { isPopularName } from "../../engines/detection/data/popular-names.ts";
import { splitName } from "../../engines/detection/names/suffix.ts";
import type { ThreatType } from "../../platform/vocabulary/threats.ts";

/**
 * Services on whose hosts strangers have pages that differ by their path, beyond those among the popular names. Hosts, or
 * domains with all hosts below them.
 */
const services = {
  files:
    "wetransfer.com we.tl box.com 1drv.ms pastebin.com gofile.io filemail.com docsend.com transfernow.net hightail.com " +
    "ibb.co filebin.net ipfs.io firebasestorage.googleapis.com raw.githubusercontent.com gist.githubusercontent.com " +
    "objects.githubusercontent.com",
  forms:
    "jotform.com formstack.com wufoo.com zohopublic.com zfrmz.com tally.so fillout.com cognitoforms.com formsite.com " +
    "123formbuilder.com airtable.com smartsheet.com forms.app",
  documents:
    "notion.so figma.com evernote.com trello.com miro.com gamma.app padlet.com gitlab.com bitbucket.org codepen.io " +
    "jsfiddle.net substack.com tumblr.com",
  shortAddresses: "rb.gy is.gd cutt.ly tiny.cc t.ly rebrand.ly s.id shorturl.at qrco.de u.to",
};
const sharedNames: ReadonlySet<string> = new Set(
  Object.values(services).flatMap((names) => names.split(" ")),
);

/**
 * Returns whether a threat is one page on a host that strangers share, such as a form on `docs.google.com`. To block the
 * host, or to have it suspended, would hit all of them: only the address of the page is malicious.
 */
export function isPageOnSharedHost({ type, domain }: { type: ThreatType; domain: string }): boolean {
  if (type !== "cloned_site") return false;
  const { registrableDomain } = splitName(domain);
  // The endpoint of an object store is a public suffix: `s3.eu-west-1.amazonaws.com`.
  if (registrableDomain === "" || isPopularName(registrableDomain)) return true;
  return sharedNames.has(domain) || sharedNames.has(registrableDomain);
}
