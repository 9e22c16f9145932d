import { newViewPath, savedViewPath } from "../../kit/paths.ts";
import type { PageGroup } from "../../shell/router.ts";
import { deleteView, editView, moveView, newView, renameView, saveView } from "./view-pages.tsx";

const view = savedViewPath(":seq");

/** Saved views of the list of threats. */
export const viewPages: PageGroup = {
  routes: [
    { method: "GET", path: newViewPath, permission: "decide", run: newView },
    { method: "POST", path: newViewPath, permission: "decide", run: saveView },
    { method: "GET", path: view, permission: "decide", run: editView },
    { method: "POST", path: view, permission: "decide", run: renameView },
    { method: "POST", path: `${view}/move`, permission: "decide", run: moveView },
    { method: "POST", path: `${view}/delete`, permission: "decide", run: deleteView },
  ],
};
