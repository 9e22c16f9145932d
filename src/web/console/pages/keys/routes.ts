import { keysPath as path } from "../../kit/paths.ts";
import type { PageGroup } from "../../shell/router.ts";
import { confirmRevocation, revokeKey, showCreatedKey } from "./detail.tsx";
import { createKey, showKeyForm } from "./form.tsx";
import { listKeys } from "./list.tsx";

/** Settings → API keys. */
export const keyPages: PageGroup = {
  nav: { section: "settings", label: "API keys", icon: "key", path },
  routes: [
    { method: "GET", path, permission: "read", run: listKeys },
    {
      method: "GET",
      path: `${path}/create`,
      permission: "administer",
      run: (context) => showKeyForm(context, context.query),
    },
    { method: "POST", path: `${path}/create`, permission: "administer", run: createKey },
    { method: "GET", path: `${path}/:id/made`, permission: "administer", run: showCreatedKey },
    { method: "GET", path: `${path}/:id/revoke`, permission: "administer", run: confirmRevocation },
    { method: "POST", path: `${path}/:id/revoke`, permission: "administer", run: revokeKey },
  ],
};
