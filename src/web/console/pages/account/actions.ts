import { counted } from "../../../../platform/lib/wording.ts";
import { attempt } from "../../kit/fields.ts";
import { redirect, type PageResult } from "../../kit/page-result.ts";
import { accountPath } from "../../kit/paths.ts";
import { showAccount, type AccountContext } from "./account-page.tsx";

export async function changePassword(context: AccountContext): Promise<PageResult> {
  const { account, session, services, form, by } = context;
  const password = form.get("password") ?? "";
  if (password !== form.get("repeated"))
    return showAccount(context, { repeated: "The two new passwords differ. Enter them again." });
  const given = { current: form.get("current") ?? "", password };
  const done = await attempt(() => services.ownAccount.changePassword({ account, session }, given, { by }));
  if (!done.ok) return showAccount(context, done.errors);
  return redirect(accountPath, "Password changed. Your other sessions have ended.");
}

export async function endOwnSession(context: AccountContext): Promise<PageResult> {
  const { account, session, services, params, by, write } = context;
  const self = { account, session };
  const wanted = Number(params["seq"]);
  const hasEnded = await write(() => services.ownAccount.endSession(self, wanted, { by }));
  return redirect(
    accountPath,
    hasEnded ? "Session ended." : { tone: "warning", text: "This session has ended before." },
  );
}

export async function endOtherSessions(context: AccountContext): Promise<PageResult> {
  const { account, session, services, by, write } = context;
  const ended = await write(() => services.ownAccount.endOtherSessions({ account, session }, { by }));
  return redirect(accountPath, `${counted(ended, "session")} ended.`);
}
