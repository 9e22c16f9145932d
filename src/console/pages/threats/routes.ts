import { exportPath, threatsPath, triagePath, undoTriagePath } from "../../kit/paths.ts";
import { pageGroup } from "../../shell/router.ts";
import {
  addNote,
  decideThreat,
  checkThreat,
  showCheck,
  triageThreats,
  undoDecision,
  undoTriage,
} from "./actions.tsx";
import {
  downloadEvidence,
  downloadRegistration,
  sendOriginalScreenshot,
  showThreat,
  threatServices,
} from "./detail.tsx";
import { listThreats } from "./list.tsx";
import { exportView } from "./views.tsx";

const path = `${threatsPath}/:id`;

/** List of all threats, with batch decisions. */
export const threatListPages = pageGroup({
  nav: { section: "main", label: "Threats", path: threatsPath },
  services: ["domains", "exports", "publicUrl", "threats", "threatIndex"],
  routes: [
    { method: "GET", path: threatsPath, permission: "read", run: listThreats },
    { method: "GET", path: exportPath, permission: "read", run: exportView },
    { method: "POST", path: triagePath, permission: "decide", run: triageThreats },
    { method: "POST", path: undoTriagePath, permission: "decide", run: undoTriage },
  ],
});

/** A single threat. */
export const threatPages = pageGroup({
  services: threatServices,
  routes: [
    { method: "GET", path, permission: "read", run: showThreat },
    { method: "GET", path: `${path}/original`, permission: "read", run: sendOriginalScreenshot },
    { method: "GET", path: `${path}/evidence`, permission: "read", run: downloadEvidence },
    { method: "GET", path: `${path}/registration`, permission: "read", run: downloadRegistration },
    { method: "GET", path: `${path}/look`, permission: "read", run: showCheck },
    { method: "POST", path: `${path}/look`, permission: "inspect", run: checkThreat },
    { method: "POST", path: `${path}/status`, permission: "decide", run: decideThreat },
    { method: "POST", path: `${path}/undo`, permission: "decide", run: undoDecision },
    { method: "POST", path: `${path}/notes`, permission: "annotate", run: addNote },
  ],
});
