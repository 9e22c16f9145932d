import { importsPath, sourcesPath } from "../../kit/paths.ts";
import type { PageGroup } from "../../shell/router.ts";
import { readAgain, showOrigin } from "./origin-detail.tsx";
import { importFile, importNames } from "./import-form.tsx";
import { cancelImport, showImport, showPanel, showRunning } from "./imports.tsx";
import { listSources } from "./list.tsx";
import { pauseSource, resumeSource } from "./source-parts.tsx";

/** Sources, imports, and everything else that names come from. */
export const sourcePages: PageGroup = {
  nav: { section: "main", label: "Sources", icon: "source", keys: "g s", path: sourcesPath },
  routes: [
    { method: "GET", path: sourcesPath, permission: "read", run: listSources },
    ...["/:kind", "/:kind/:name"]
      .map((origin) => sourcesPath + origin)
      .flatMap((path) => [
        { method: "GET", path, permission: "read", run: showOrigin } as const,
        { method: "POST", path: `${path}/pause`, permission: "administer", run: pauseSource } as const,
        { method: "POST", path: `${path}/resume`, permission: "administer", run: resumeSource } as const,
      ]),
    { method: "POST", path: `${sourcesPath}/feed/:name/read-again`, permission: "import", run: readAgain },
    { method: "POST", path: importsPath, permission: "import", body: "upload", run: importFile },
    { method: "POST", path: `${importsPath}/names`, permission: "import", run: importNames },
    { method: "GET", path: `${importsPath}/running`, permission: "read", run: showRunning },
    { method: "GET", path: `${importsPath}/:seq`, permission: "read", run: showImport },
    { method: "GET", path: `${importsPath}/:seq/panel`, permission: "read", run: showPanel },
    { method: "POST", path: `${importsPath}/:seq/cancel`, permission: "import", run: cancelImport },
  ],
};
