import { domainPages } from "./domains.tsx";
import { overviewPages } from "./overview.tsx";
import type { PageGroup } from "./router.ts";
import { scanPages } from "./scans.tsx";
import { threatListPages } from "./threat-list.tsx";
import { threatPages } from "./threat-page.tsx";

/** All pages; the order is that of the navigation. */
export const pageGroups: readonly PageGroup[] = [
  overviewPages,
  threatListPages,
  threatPages,
  domainPages,
  scanPages,
];
