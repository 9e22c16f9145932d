import { welcomePath } from "../../kit/paths.ts";
import { pageGroup } from "../../shell/router.ts";
import { addChannel, addDomain, resumeSetup, sendTest, skipSetup, startScan } from "./actions.ts";
import { showWelcome } from "./welcome.tsx";

/** Setup after the first sign-in. */
export const firstRunPages = pageGroup({
  services: [
    "archive",
    "assessDomain",
    "certificateLogs",
    "channels",
    "config",
    "deliveries",
    "domains",
    "notifications",
    "scans",
    "setup",
    "sources",
    "storage",
    "webhooks",
  ],
  routes: [
    { method: "GET", path: welcomePath, permission: "read", run: (context) => showWelcome(context) },
    { method: "POST", path: `${welcomePath}/domain`, permission: "administer", run: addDomain },
    { method: "POST", path: `${welcomePath}/channel`, permission: "administer", run: addChannel },
    { method: "POST", path: `${welcomePath}/test`, permission: "administer", run: sendTest },
    { method: "POST", path: `${welcomePath}/scan`, permission: "scan", run: startScan },
    { method: "POST", path: `${welcomePath}/skip`, permission: "administer", run: skipSetup },
    { method: "POST", path: `${welcomePath}/resume`, permission: "administer", run: resumeSetup },
  ],
});
