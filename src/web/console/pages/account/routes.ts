import {
  accountPath,
  codesPath,
  confirmCodesPath,
  endOtherSessionsPath,
  endOwnSessionPath,
  passwordPath,
  recoveryCodesPath,
  removeCodesPath,
  renewRecoveryCodesPath,
} from "../../kit/paths.ts";
import type { PageGroup } from "../../shell/router.ts";
import { showAccount, changePassword, endOtherSessions, endOwnSession } from "./account-page.tsx";
import {
  askToRemoveCodes,
  askToRenewRecoveryCodes,
  beginCodes,
  confirmCodes,
  removeCodes,
  renewRecoveryCodes,
  showCodeSetup,
  showRecoveryCodes,
} from "./codes.tsx";

const permission = "session";

/** The reader's own account. It has no navigation entry; the menu of the account links to it. */
export const accountPages: PageGroup = {
  routes: [
    { method: "GET", path: accountPath, permission, run: (context) => showAccount(context) },
    { method: "POST", path: passwordPath, permission, run: changePassword },
    { method: "GET", path: codesPath, permission, run: (context) => showCodeSetup(context) },
    { method: "POST", path: codesPath, permission, run: beginCodes },
    { method: "POST", path: confirmCodesPath, permission, run: confirmCodes },
    { method: "GET", path: recoveryCodesPath, permission, run: showRecoveryCodes },
    { method: "GET", path: removeCodesPath, permission, run: askToRemoveCodes },
    { method: "POST", path: removeCodesPath, permission, run: removeCodes },
    {
      method: "GET",
      path: renewRecoveryCodesPath,
      permission,
      run: askToRenewRecoveryCodes,
    },
    { method: "POST", path: renewRecoveryCodesPath, permission, run: renewRecoveryCodes },
    { method: "POST", path: endOtherSessionsPath, permission, run: endOtherSessions },
    { method: "POST", path: endOwnSessionPath(":seq"), permission, run: endOwnSession },
  ],
};
