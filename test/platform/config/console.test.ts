import { expect, test } from "bun:test";
import { errorLines, loaded } from "./helper.ts";

const groups = 'trusted_groups_header = "Remote-Groups"';
const user = 'trusted_user_header = "Remote-User"';
const role = '[[console.group_roles]]\ngroup = "soc"\nrole = "analyst"';

test.each([
  [`${user}\n${role}`, "found no trusted_groups_header beside it"],
  [`${groups}\n${role}`, "found no trusted_user_header beside it"],
  [`${user}\n${groups}`, "a role for at least one group"],
  [`${user}\ntrusted_groups_header = "remote-user"\n${role}`, "found the header of the name"],
  [`${user}\n${groups}\n${role}\n${role}`, "console.group_roles"],
  [`${user}\n${groups}\n${role.replace("analyst", "owner")}`, '"viewer", "analyst" or "administrator"'],
  [
    `${user}\n${groups}\n${role.replace("soc", "soc,admins")}`,
    "a group that cannot be in a header with the separator",
  ],
  [
    `${user}\n${groups}\n${role.replace("soc", "cn=soc")}`,
    "a group that cannot be in a header with the separator",
  ],
  ...["Authorization", "Cookie", "X-Forwarded-For", "X_Remote_User", "Host", "Sec-User", "Remote User"].map(
    (header) => [
      `trusted_user_header = "${header}"\n${groups}\n${role}`,
      "a header that only the proxy writes",
    ],
  ),
])(
  "headers of a proxy's users that are incomplete, or that clients send, are rejected: %j",
  (lines, expected) => {
    expect(errorLines(`[console]\n${lines}\n`).join("\n")).toContain(expected);
  },
);

test("headers of a proxy's users are compared without case", () => {
  expect(loaded(`[console]\n${user}\n${groups}\n${role}\n`).console.trustedUser).toEqual({
    header: "remote-user",
    groupsHeader: "remote-groups",
    groupsSeparator: ",",
    groupRoles: [{ group: "soc", role: "analyst" }],
  });
});
