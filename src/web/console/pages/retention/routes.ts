import { retentionPath as path } from "../../kit/paths.ts";
import { pageGroup } from "../../shell/router.ts";
import { restoreName, showRetention } from "./retention-page.tsx";

/** Settings → Retention. */
export const retentionPages = pageGroup({
  nav: { section: "settings", label: "Retention", icon: "clock", path },
  services: ["candidates", "dataRetention"],
  routes: [
    { method: "GET", path, permission: "read", run: (context) => showRetention(context) },
    { method: "POST", path: `${path}/restore`, permission: "administer", run: restoreName },
  ],
});
