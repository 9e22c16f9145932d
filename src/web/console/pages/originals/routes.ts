import { domainsPath } from "../../kit/paths.ts";
import { pageGroup } from "../../shell/router.ts";
import { addOriginal, captureOriginals, decideVersion, removeOriginal, sendVersion } from "./changes.ts";
import { showOriginals } from "./list.tsx";
import { addLogo, removeLogo, sendLogo } from "./logos.tsx";
import { applySuggestion, showSuggestion } from "./suggestions.tsx";

const path = `${domainsPath}/:domain/originals`;

/** Pages of a protected domain that attackers are likely to copy, logos, and what they suggest. */
export const originalPages = pageGroup({
  services: ["archive", "config", "domains", "nameSearches", "originals", "threatIndex"],
  routes: [
    { method: "GET", path, permission: "read", run: showOriginals },
    { method: "POST", path, permission: "administer", run: addOriginal },
    { method: "POST", path: `${path}/capture`, permission: "inspect", run: captureOriginals },
    { method: "POST", path: `${path}/remove`, permission: "administer", run: removeOriginal },
    { method: "POST", path: `${path}/versions`, permission: "administer", run: decideVersion },
    { method: "GET", path: `${path}/versions/:version`, permission: "read", run: sendVersion },
    { method: "POST", path: `${path}/logos`, permission: "administer", body: "upload", run: addLogo },
    { method: "POST", path: `${path}/logos/remove`, permission: "administer", run: removeLogo },
    { method: "GET", path: `${path}/logos/:logo`, permission: "read", run: sendLogo },
    { method: "GET", path: `${path}/suggestions`, permission: "read", run: showSuggestion },
    { method: "POST", path: `${path}/suggestions`, permission: "administer", run: applySuggestion },
  ],
});
