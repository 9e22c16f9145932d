import { exportPath, threatsPath, triagePath, undoTriagePath } from "../../kit/paths.ts";
import { pageGroup } from "../../shell/router.ts";
import { triageThreats, undoTriage } from "./actions.tsx";
import { listThreats } from "./list.tsx";
import { exportView } from "./views.tsx";

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
