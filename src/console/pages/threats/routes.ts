import { exportPath, threatsPath, triagePath, undoTriagePath } from "../../kit/paths.ts";
import { pageGroup, type NavigationMark } from "../../shell/router.ts";
import type { PageServices } from "../../shell/services.ts";
import { triageThreats, undoTriage } from "./actions.tsx";
import { listThreats } from "./list.tsx";
import { exportView } from "./views.tsx";

/** Number of threats to decide. */
function undecided({ threats }: Pick<PageServices, "threats">): NavigationMark {
  const active = threats.totals().filter(({ status }) => status === "active");
  return { count: active.reduce((sum, { total }) => sum + total, 0) };
}

/** List of all threats, with batch decisions. */
export const threatListPages = pageGroup({
  nav: { section: "main", label: "Threats", icon: "threat", path: threatsPath, mark: undecided },
  services: ["domains", "exports", "publicUrl", "threats", "threatIndex"],
  routes: [
    { method: "GET", path: threatsPath, permission: "read", run: listThreats },
    { method: "GET", path: exportPath, permission: "read", run: exportView },
    { method: "POST", path: triagePath, permission: "decide", run: triageThreats },
    { method: "POST", path: undoTriagePath, permission: "decide", run: undoTriage },
  ],
});
