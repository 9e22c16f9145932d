import { inspectionExportPath, inspectionRowsPath, inspectionsPath } from "../../kit/paths.ts";
import type { PageGroup } from "../../shell/router.ts";
import { allowName, askForThreat, askToAllow, inspectAgain, recordThreat } from "./actions.tsx";
import { showInspection, showResult } from "./detail.tsx";
import { exportInspections, listInspections, showRows } from "./list.tsx";
import { requestInspections } from "./request-form.tsx";

const path = `${inspectionsPath}/:id`;

/** Pages that were opened and compared with the protected sites. */
export const inspectionPages: PageGroup = {
  nav: { section: "main", label: "Inspections", icon: "image", keys: "g i", path: inspectionsPath },
  routes: [
    { method: "GET", path: inspectionsPath, permission: "read", run: listInspections },
    { method: "POST", path: inspectionsPath, permission: "inspect", body: "upload", run: requestInspections },
    { method: "GET", path: inspectionRowsPath, permission: "read", run: showRows },
    { method: "GET", path: inspectionExportPath, permission: "read", run: exportInspections },
    { method: "GET", path, permission: "read", run: showInspection },
    { method: "GET", path: `${path}/result`, permission: "read", run: showResult },
    { method: "POST", path: `${path}/again`, permission: "inspect", run: inspectAgain },
    { method: "GET", path: `${path}/threat`, permission: "inspect", run: askForThreat },
    { method: "POST", path: `${path}/threat`, permission: "inspect", run: recordThreat },
    { method: "GET", path: `${path}/allow`, permission: "administer", run: askToAllow },
    { method: "POST", path: `${path}/allow`, permission: "administer", run: allowName },
  ],
};
