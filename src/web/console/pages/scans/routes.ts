import { scansPath, startScanPath } from "../../kit/paths.ts";
import { pageGroup } from "../../shell/router.ts";
import { cancelScan, showPanel, showScan } from "./detail.tsx";
import { listScans, startScan } from "./list.tsx";

/** Scans: list, start, watch, cancel. */
export const scanPages = pageGroup({
  nav: { section: "main", label: "Scans", icon: "scan", path: scansPath },
  services: ["auditLog", "config", "domains", "scans"],
  routes: [
    { method: "GET", path: scansPath, permission: "read", run: listScans },
    { method: "POST", path: startScanPath, permission: "scan", run: startScan },
    { method: "GET", path: `${scansPath}/:id`, permission: "read", run: showScan },
    { method: "GET", path: `${scansPath}/:id/panel`, permission: "read", run: showPanel },
    { method: "POST", path: `${scansPath}/:id/cancel`, permission: "scan", run: cancelScan },
  ],
});
