import { preferencesPath as path } from "../../kit/paths.ts";
import { pageGroup } from "../../shell/router.ts";
import { savePreferences, showPreferences } from "./preferences.tsx";

/** Preferences of the own account. */
export const preferencePages = pageGroup({
  services: ["config", "preferences"],
  routes: [
    { method: "GET", path, permission: "session", run: showPreferences },
    { method: "POST", path, permission: "session", run: savePreferences },
  ],
});
