import { assigneePath, duePath } from "../../kit/paths.ts";
import { pageGroup } from "../../shell/router.ts";
import { assignThreat, setDueTime } from "./actions.ts";

export const casePages = pageGroup({
  services: ["cases", "threats"],
  routes: [
    { method: "POST", path: assigneePath(":id"), permission: "decide", run: assignThreat },
    { method: "POST", path: duePath(":id"), permission: "decide", run: setDueTime },
  ],
});
