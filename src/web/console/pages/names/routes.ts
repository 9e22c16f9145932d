import { nameResultsPath, namesPath } from "../../kit/paths.ts";
import { pageGroup } from "../../shell/router.ts";
import { searchNames, showResults } from "./search.tsx";

/** Search of all names that were seen. */
export const namePages = pageGroup({
  nav: { section: "main", label: "Names seen", icon: "calendar", path: namesPath },
  services: ["archive", "config", "nameSearches"],
  routes: [
    { method: "GET", path: namesPath, permission: "read", run: searchNames },
    { method: "GET", path: nameResultsPath, permission: "read", run: showResults },
  ],
});
