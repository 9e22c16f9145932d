import { auditPages } from "./audit-pages.tsx";
import { deliveryPages } from "./delivery-pages.tsx";
import { beaconPages } from "./beacons.tsx";
import { domainPages } from "./domains.tsx";
import { keyPages } from "./key-pages.tsx";
import { feedPages } from "./feeds.tsx";
import { overviewPages } from "./overview.tsx";
import { scanPages } from "./scans.tsx";
import { systemPages } from "./system-pages.tsx";
import { threatListPages } from "./threat-list.tsx";
import { threatPages } from "./threat-page.tsx";
import { webhookPages } from "./webhook-pages.tsx";
import type { PageGroup } from "./router.ts";
import { tokenPages } from "./tokens.tsx";

/** All pages; the order is that of the navigation. */
export const pageGroups: readonly PageGroup[] = [
  overviewPages,
  threatListPages,
  threatPages,
  domainPages,
  scanPages,
  feedPages,
  beaconPages,
  tokenPages,
  keyPages,
  webhookPages,
  deliveryPages,
  systemPages,
  auditPages,
];
