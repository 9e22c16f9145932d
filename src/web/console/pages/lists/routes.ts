import { listsPath as path } from "../../kit/paths.ts";
import { pageGroup } from "../../shell/router.ts";
import { confirmRemoval, confirmRotation, removeList, rotateList, setListState } from "./actions.tsx";
import { showList } from "./detail.tsx";
import { addList, changeList, editList, newList } from "./form.tsx";
import { listLists } from "./list.tsx";

const one = `${path}/:id`;

/** Integrations → Block lists. */
export const listPages = pageGroup({
  nav: { section: "notify", label: "Block lists", icon: "list", path },
  services: ["domains", "lists", "publicUrl"],
  routes: [
    { method: "GET", path, permission: "read", run: listLists },
    { method: "GET", path: `${path}/add`, permission: "administer", run: newList },
    { method: "POST", path: `${path}/add`, permission: "administer", run: addList },
    { method: "GET", path: one, permission: "read", run: showList },
    { method: "GET", path: `${one}/edit`, permission: "administer", run: editList },
    { method: "POST", path: `${one}/edit`, permission: "administer", run: changeList },
    { method: "POST", path: `${one}/enable`, permission: "administer", run: setListState("enable") },
    { method: "POST", path: `${one}/disable`, permission: "administer", run: setListState("disable") },
    { method: "GET", path: `${one}/rotate`, permission: "administer", run: confirmRotation },
    { method: "POST", path: `${one}/rotate`, permission: "administer", run: rotateList },
    { method: "GET", path: `${one}/remove`, permission: "administer", run: confirmRemoval },
    { method: "POST", path: `${one}/remove`, permission: "administer", run: removeList },
  ],
});
