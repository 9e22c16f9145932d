import { changeCasesPath, exportPath, newThreatsPath, threatsPath, triagePath } from "../../kit/paths.ts";
import type { PageGroup, NavigationMark } from "../../shell/router.ts";
import type { PageServices } from "../../shell/services.ts";
import { triageThreats, exportView, showNewThreats } from "./actions.tsx";
import { changeCases } from "./bulk.tsx";
import { listThreats } from "./list.tsx";

/** Number of threats to decide. */
function undecided({ threats }: Pick<PageServices, "threats">): NavigationMark {
  const active = threats.totals().filter(({ status }) => status === "active");
  return { count: active.reduce((sum, { total }) => sum + total, 0) };
}

/** List of all threats, with decisions on several of them. */
export const threatListPages: PageGroup = {
  nav: { section: "main", label: "Threats", icon: "threat", keys: "g t", path: threatsPath, mark: undecided },
  routes: [
    { method: "GET", path: threatsPath, permission: "read", run: listThreats },
    { method: "GET", path: newThreatsPath, permission: "read", run: showNewThreats },
    { method: "GET", path: exportPath, permission: "read", run: exportView },
    { method: "POST", path: changeCasesPath, permission: "decide", run: changeCases },
    { method: "POST", path: triagePath, permission: "decide", run: triageThreats },
  ],
};
