import { auditPath, backUpPath, failedSignInsPath, systemPath } from "../../kit/paths.ts";
import type { PageGroup } from "../../shell/router.ts";
import { backUpNow } from "./backups-card.tsx";
import { showAuditLog, showFailedSignIns } from "./audit-log.tsx";
import { downloadBackup, showSystem } from "./status.tsx";

/** Settings → System. */
export const systemPages: PageGroup = {
  nav: { section: "settings", label: "System", icon: "system", path: systemPath },
  routes: [
    { method: "GET", path: systemPath, permission: "read", run: showSystem },
    { method: "POST", path: `${systemPath}/backup`, permission: "administer", run: downloadBackup },
    { method: "POST", path: backUpPath, permission: "administer", run: backUpNow },
  ],
};

/** Settings → Audit log. */
export const auditPages: PageGroup = {
  nav: { section: "settings", label: "Audit log", icon: "history", path: auditPath },
  routes: [
    { method: "GET", path: auditPath, permission: "read", run: showAuditLog },
    { method: "GET", path: failedSignInsPath, permission: "read", run: showFailedSignIns },
  ],
};
