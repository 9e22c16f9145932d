import { overviewPath, runningScanPath } from "../../kit/paths.ts";
import { pageGroup } from "../../shell/router.ts";
import { showOverview } from "./overview.tsx";
import { showRunningScan } from "./running-scan.tsx";

/** Start page: what needs attention and why, the newest threats, and whether things improve. */
export const overviewPages = pageGroup({
  nav: { section: "main", label: "Overview", icon: "overview", keys: "g o", path: overviewPath },
  services: [
    "archive",
    "auditLog",
    "backups",
    "certificateLogs",
    "conditions",
    "databaseStatus",
    "lastReload",
    "deliveries",
    "domains",
    "enrichment",
    "keys",
    "readiness",
    "scans",
    "setup",
    "sources",
    "storage",
    "storeGrowth",
    "takedowns",
    "threatIndex",
    "untrustedProxy",
  ],
  routes: [
    { method: "GET", path: overviewPath, permission: "read", run: showOverview },
    { method: "GET", path: runningScanPath, permission: "read", run: showRunningScan },
  ],
});
