import { feedsPath, importsPath } from "../../kit/paths.ts";
import { pageGroup } from "../../shell/router.ts";
import { readAgain, showFeed } from "./feed-detail.tsx";
import { cancelImport, showImport, showPanel, showRunning } from "./import-detail.tsx";
import { importFile, importNames } from "./import-form.tsx";
import { listSources } from "./list.tsx";

/** Feeds and imports: the origins of names. */
export const sourcePages = pageGroup({
  nav: { section: "main", label: "Feeds", path: feedsPath },
  services: ["feeds", "imports", "sources"],
  routes: [
    { method: "GET", path: feedsPath, permission: "read", run: listSources },
    { method: "GET", path: `${feedsPath}/:feed`, permission: "read", run: showFeed },
    { method: "POST", path: `${feedsPath}/:feed/read-again`, permission: "import", run: readAgain },
    { method: "POST", path: importsPath, permission: "import", body: "upload", run: importFile },
    { method: "POST", path: `${importsPath}/names`, permission: "import", run: importNames },
    { method: "GET", path: `${importsPath}/running`, permission: "read", run: showRunning },
    { method: "GET", path: `${importsPath}/:seq`, permission: "read", run: showImport },
    { method: "GET", path: `${importsPath}/:seq/panel`, permission: "read", run: showPanel },
    { method: "POST", path: `${importsPath}/:seq/cancel`, permission: "import", run: cancelImport },
  ],
});
