import type { PageView } from "../../lookups/page/page-view.ts";
import { discoverPages } from "./discover-pages.ts";
import type { Owner } from "./own-names.ts";
import type { PageNames } from "../model/original.ts";

const namesMax = 50;
const nameLengthMax = 100;
const hostLengthMax = 253;

/** Returns the names in a page, its manifest, its certificate and the redirects to it. */
export function pageNamesOf(view: PageView, owner: Owner): PageNames {
  const hosts = view.addresses.flatMap((address) => URL.parse(address)?.hostname ?? []);
  return {
    ...(view.siteName === undefined ? {} : { siteName: view.siteName.slice(0, nameLengthMax) }),
    manifest: bounded(view.manifestNames ?? [], nameLengthMax),
    certificate: bounded(view.certificateNames ?? [], hostLengthMax),
    redirects: bounded(hosts, hostLengthMax),
    elsewhere: discoverPages(view, owner).elsewhere,
  };
}

function bounded(names: readonly string[], lengthMax: number): string[] {
  return [...new Set(names)].slice(0, namesMax).map((name) => name.slice(0, lengthMax));
}
