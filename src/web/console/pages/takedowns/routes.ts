import {
  draftFilePath,
  newTakedownPath,
  takedownPath,
  takedownsPath,
  takedownStatisticsPath,
} from "../../kit/paths.ts";
import type { PageGroup } from "../../shell/router.ts";
import {
  addResponse,
  closeReport,
  downloadFile,
  markBounced,
  postponeReport,
  sendAgain,
  showReport,
} from "./detail.tsx";
import { downloadDraftFile, newReport, sendReport } from "./compose.tsx";
import { listReports, showStatistics } from "./list.tsx";

const path = takedownPath(":seq");

export const takedownPages: PageGroup = {
  nav: {
    section: "main",
    label: "Takedowns",
    path: takedownsPath,
    icon: "takedown",
    keys: "g r",
    mark({ takedowns }) {
      const { cameBack, followUps, notDelivered } = takedowns.attention();
      const count = cameBack + followUps + notDelivered;
      return count === 0 ? undefined : { count };
    },
  },
  routes: [
    { method: "GET", path: takedownsPath, permission: "read", run: listReports },
    { method: "GET", path: takedownStatisticsPath, permission: "read", run: showStatistics },
    { method: "GET", path: newTakedownPath, permission: "report", run: newReport },
    { method: "POST", path: newTakedownPath, permission: "report", run: sendReport },
    { method: "GET", path: draftFilePath(":name"), permission: "read", run: downloadDraftFile },
    { method: "GET", path, permission: "read", run: showReport },
    { method: "GET", path: `${path}/files/:position`, permission: "read", run: downloadFile },
    { method: "POST", path: `${path}/responses`, permission: "report", run: addResponse },
    { method: "POST", path: `${path}/bounced`, permission: "report", run: markBounced },
    { method: "POST", path: `${path}/send-again`, permission: "report", run: sendAgain },
    { method: "POST", path: `${path}/postpone`, permission: "report", run: postponeReport },
    { method: "POST", path: `${path}/close`, permission: "report", run: closeReport },
  ],
};
