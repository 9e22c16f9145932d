import { threatsPath, assigneePath, duePath } from "../../kit/paths.ts";
import type { PageGroup } from "../../shell/router.ts";
import {
  addNote,
  checkThreat,
  decideThreat,
  showCheck,
  downloadEvidence,
  downloadRegistration,
  sendOriginalScreenshot,
  sendOriginalThumbnail,
  sendThumbnail,
} from "./actions.tsx";
import { showThreat } from "./threat.tsx";
import { assignThreat, setDueTime } from "./case.tsx";

const path = `${threatsPath}/:id`;

export const threatPages: PageGroup = {
  routes: [
    { method: "GET", path, permission: "read", run: showThreat },
    { method: "GET", path: `${path}/original`, permission: "read", run: sendOriginalScreenshot },
    { method: "GET", path: `${path}/thumbnail`, permission: "read", run: sendThumbnail },
    { method: "GET", path: `${path}/original/thumbnail`, permission: "read", run: sendOriginalThumbnail },
    { method: "GET", path: `${path}/evidence`, permission: "read", run: downloadEvidence },
    { method: "GET", path: `${path}/registration`, permission: "read", run: downloadRegistration },
    { method: "GET", path: `${path}/look`, permission: "read", run: showCheck },
    { method: "POST", path: `${path}/look`, permission: "inspect", run: checkThreat },
    { method: "POST", path: `${path}/status`, permission: "decide", run: decideThreat },
    { method: "POST", path: `${path}/notes`, permission: "annotate", run: addNote },
    { method: "POST", path: assigneePath(":id"), permission: "decide", run: assignThreat },
    { method: "POST", path: duePath(":id"), permission: "decide", run: setDueTime },
  ],
};
