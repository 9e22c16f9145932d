import { decisionPath, decisionsPath, formerDecisionsPath, undoTriagePath } from "../../kit/paths.ts";
import { redirect } from "../../kit/page-result.ts";
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
    { method: "GET", path: formerDecisionsPath, permission: "read", run: () => redirect(decisionsPath) },
    { method: "POST", path: undoTriagePath, permission: "decide", run: undoTriage },
  ],
});
