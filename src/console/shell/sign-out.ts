import { redirect, type PageResult } from "../kit/page-result.ts";
import { signInPath, systemPath } from "../kit/paths.ts";
import type { Context } from "./router.ts";
import type { ConsoleServices } from "./services.ts";
import type { SessionMemory } from "./session-memory.ts";
import type { Visitors } from "./visitors.ts";

/** Ends sessions: the visitor's own, another one, or all of the account. */
export function createSignOut({
  consoleSignIn,
  memory,
  visitors,
}: Pick<ConsoleServices, "consoleSignIn"> & { memory: SessionMemory; visitors: Visitors }) {
  async function signOut({ session, by, write }: Context): Promise<PageResult> {
    await write(() => consoleSignIn.signOut(session, { by }));
    return leave(session.seq);
  }

  async function signOutEverywhere({ account, session, by, write }: Context): Promise<PageResult> {
    await write(() => consoleSignIn.signOutEverywhere(account, { by }));
    return leave(session.seq);
  }

  /** Ends another session of the account; administrators can end those of others. */
  async function endSession({ account, params, session, by, may, write }: Context): Promise<PageResult> {
    const endable = consoleSignIn.sessions.list(may("administer") ? undefined : account.seq);
    const other = endable.find(({ seq }) => String(seq) === params["seq"]);
    if (other === undefined)
      return redirect(systemPath, { tone: "warning", text: "This session has ended." });
    await write(() => consoleSignIn.signOut(other, { by }));
    memory.forget(other.seq);
    return other.seq === session.seq ? leave(session.seq) : redirect(systemPath, "Session ended.");
  }

  function leave(session: number): Response {
    memory.forget(session);
    const headers = { location: signInPath, "set-cookie": visitors.expiredSessionCookie() };
    return new Response(null, { status: 303, headers });
  }

  return { signOut, signOutEverywhere, endSession };
}
