import { domainsPath, newDomainPath } from "../../kit/paths.ts";
import type { PageGroup } from "../../shell/router.ts";
import { protectDomain, showNewDomain, showLookAlikes } from "./adding.tsx";
import { showChecks, showDomain } from "./detail.tsx";
import { changeDomain, showEdit, confirmRemoval, removeDomain } from "./editing.tsx";
import { listDomains } from "./list.tsx";
import { sendOriginal } from "./own-pages.tsx";

const path = `${domainsPath}/:domain`;

/** Protected domains: list, add, change, remove. */
export const domainPages: PageGroup = {
  nav: { section: "main", label: "Protected domains", icon: "domain", keys: "g d", path: domainsPath },
  routes: [
    { method: "GET", path: domainsPath, permission: "read", run: listDomains },
    { method: "GET", path: newDomainPath, permission: "administer", run: showNewDomain },
    { method: "POST", path: newDomainPath, permission: "administer", run: protectDomain },
    { method: "GET", path, permission: "read", run: showDomain },
    { method: "POST", path, permission: "administer", run: changeDomain },
    { method: "GET", path: `${path}/checks`, permission: "read", run: showChecks },
    { method: "GET", path: `${path}/edit`, permission: "administer", run: showEdit },
    { method: "GET", path: `${path}/original`, permission: "read", run: sendOriginal },
    { method: "GET", path: `${path}/look-alikes`, permission: "read", run: showLookAlikes },
    { method: "GET", path: `${path}/remove`, permission: "administer", run: confirmRemoval },
    { method: "POST", path: `${path}/remove`, permission: "administer", run: removeDomain },
  ],
};
