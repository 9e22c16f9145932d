import { redirect, type PageResult } from "../kit/page-result.ts";
import { accountPath, signInPath } from "../kit/paths.ts";
import type { Context } from "./router.ts";
import type { ConsoleServices } from "./services.ts";
import type { SessionMemory } from "./session-memory.ts";
import type { Visitors } from "./visitors.ts";

/** Ends the visitor's own session, or all sessions of the account. */
export function createSignOut({
  consoleSignIn,
  memory,
  visitors,
}: Pick<ConsoleServices, "consoleSignIn"> & { memory: SessionMemory; visitors: Visitors }) {
  async function signOut({ account, session, by, write }: Context): Promise<PageResult> {
    // The next request would start another session, and people would believe that they had signed out.
    if (account.origin === "proxy")
      return redirect(accountPath, {
        tone: "warning",
        text: "A proxy signs you in. To sign out, sign out of the proxy.",
      });
    await write(() => consoleSignIn.signOut(session, { by }));
    return leave(session.seq);
  }

  async function signOutEverywhere({ account, session, by, write }: Context): Promise<PageResult> {
    await write(() => consoleSignIn.signOutEverywhere(account, { by }));
    return leave(session.seq);
  }

  function leave(session: number): Response {
    memory.forget(session);
    const headers = { location: signInPath, "set-cookie": visitors.expiredSessionCookie() };
    return new Response(null, { status: 303, headers });
  }

  return { signOut, signOutEverywhere };
}
