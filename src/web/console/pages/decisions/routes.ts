import { decisionPath, decisionsPath, undoTriagePath } from "../../kit/paths.ts";
import { pageGroup } from "../../shell/router.ts";
import { showDecision } from "./detail.tsx";
import { listDecisions } from "./list.tsx";
import { undoTriage } from "./undo.tsx";

/** Decisions of the last day, and their undo. */
export const decisionPages = pageGroup({
  nav: { section: "main", label: "Decisions", icon: "undo", path: decisionsPath },
  services: ["domains", "threats"],
  routes: [
    { method: "GET", path: decisionsPath, permission: "read", run: listDecisions },
    { method: "GET", path: decisionPath(":batch"), permission: "read", run: showDecision },
    { method: "POST", path: undoTriagePath, permission: "decide", run: undoTriage },
  ],
});
