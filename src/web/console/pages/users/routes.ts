import { inviteUserPath, userLinkPath, userPath, usersPath } from "../../kit/paths.ts";
import type { PageGroup } from "../../shell/router.ts";
import {
  askToRemoveUserCodes,
  askToWithdraw,
  changeRole,
  disableUser,
  enableUser,
  endUserSessions,
  removeUserCodes,
  resetUser,
  withdrawInvitation,
} from "./actions.tsx";
import { showUser } from "./detail.tsx";
import { inviteUser, showInviteForm, showLink } from "./invite.tsx";
import { listUsers } from "./list.tsx";

const one = userPath(":seq");
const permission = "administer";

/** Settings → Users. */
export const userPages: PageGroup = {
  nav: { section: "settings", label: "Users", icon: "people", path: usersPath },
  routes: [
    { method: "GET", path: usersPath, permission, run: listUsers },
    { method: "GET", path: inviteUserPath, permission, run: (context) => showInviteForm(context) },
    { method: "POST", path: inviteUserPath, permission, run: inviteUser },
    { method: "GET", path: one, permission, run: (context) => showUser(context) },
    { method: "GET", path: userLinkPath(":seq"), permission, run: showLink },
    { method: "POST", path: `${one}/role`, permission, run: changeRole },
    { method: "POST", path: `${one}/disable`, permission, run: disableUser },
    { method: "POST", path: `${one}/enable`, permission, run: enableUser },
    { method: "POST", path: `${one}/reset`, permission, run: resetUser },
    { method: "POST", path: `${one}/end-sessions`, permission, run: endUserSessions },
    { method: "GET", path: `${one}/remove-codes`, permission, run: askToRemoveUserCodes },
    { method: "POST", path: `${one}/remove-codes`, permission, run: removeUserCodes },
    { method: "GET", path: `${one}/withdraw`, permission, run: askToWithdraw },
    { method: "POST", path: `${one}/withdraw`, permission, run: withdrawInvitation },
  ],
};
