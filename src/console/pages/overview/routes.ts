import { overviewPath, runningScanPath } from "../../kit/paths.ts";
import { pageGroup } from "../../shell/router.ts";
import { showOverview, showRunningScan } from "./overview.tsx";

/** Start page: what needs attention, the newest threats, and trends. */
export const overviewPages = pageGroup({
  nav: { section: "main", label: "Overview", icon: "overview", path: overviewPath },
  services: [
    "archive",
    "databaseStatus",
    "deliveries",
    "domains",
    "keys",
    "readiness",
    "scans",
    "sources",
    "threatIndex",
    "untrustedProxy",
  ],
  routes: [
    { method: "GET", path: overviewPath, permission: "read", run: showOverview },
    { method: "GET", path: runningScanPath, permission: "read", run: showRunningScan },
  ],
});
