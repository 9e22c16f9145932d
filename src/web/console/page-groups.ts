import { trapKinds } from "../../response/traps/kinds/kinds.ts";
import { accountPages } from "./pages/account/routes.ts";
import { threatPages } from "./pages/threat/routes.ts";
import { campaignPages } from "./pages/campaigns/list.tsx";
import { commandPages } from "./pages/commands/commands.tsx";
import { domainPages } from "./pages/domains/routes.ts";
import { originalPages } from "./pages/originals/originals.tsx";
import { firstRunPages } from "./pages/first-run/welcome.tsx";
import { inspectionPages } from "./pages/inspections/routes.ts";
import { keyPages } from "./pages/keys/keys.tsx";
import { listPages } from "./pages/lists/pages.tsx";
import { namePages } from "./pages/names/search.tsx";
import { notificationPages } from "./pages/notifications/routes.ts";
import { overviewPages } from "./pages/overview/overview.tsx";
import { preferencePages } from "./pages/preferences/preferences.tsx";
import { retentionPages } from "./pages/retention/retention-page.tsx";
import { scanPages } from "./pages/scans/scans.tsx";
import { sourcePages } from "./pages/sources/routes.ts";
import { auditPages, systemPages } from "./pages/system/routes.ts";
import { takedownPages } from "./pages/takedowns/list.tsx";
import { threatListPages } from "./pages/threats/routes.ts";
import { trapPages } from "./pages/traps/traps.tsx";
import { decisionPages } from "./pages/decisions/decisions.tsx";
import { deliveryPages } from "./pages/deliveries/delivery-pages.tsx";
import { userPages } from "./pages/users/users.tsx";
import { viewPages } from "./pages/views/view-pages.tsx";
import { webhookPages } from "./pages/webhooks/webhook-pages.tsx";
import type { PageGroup } from "./shell/router.ts";

/** Pages that the command bar offers, in the order of the navigation. */
const searchable: readonly PageGroup[] = [
  overviewPages,
  firstRunPages,
  threatListPages,
  decisionPages,
  viewPages,
  threatPages,
  campaignPages,
  takedownPages,
  domainPages,
  originalPages,
  scanPages,
  inspectionPages,
  sourcePages,
  namePages,
  ...trapKinds.map(trapPages),
  keyPages,
  notificationPages,
  webhookPages,
  listPages,
  deliveryPages,
  userPages,
  systemPages,
  auditPages,
  retentionPages,
  accountPages,
  preferencePages,
];

/** All pages; the order is that of the navigation. */
export const pageGroups: readonly PageGroup[] = [...searchable, commandPages(searchable)];
