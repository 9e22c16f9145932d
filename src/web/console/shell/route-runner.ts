import type { ConsoleSignIn } from "../../../access/console/sign-in.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import { badRequest, notFound, type PublicError } from "../../../platform/lib/errors.ts";
import { may } from "../../../platform/vocabulary/permissions.ts";
import type { Server } from "../../api/server.ts";
import { redirect, type PageResult } from "../kit/page-result.ts";
import { accountPath, signInPath } from "../kit/paths.ts";
import { readUpload } from "./multipart.ts";
import { consoleActor, formBytesMax, ownerOf, readForm, type ConsoleRequest } from "./request.ts";
import type { Responder } from "./responses.tsx";
import { authorize, type Context, type FindRoute } from "./router.ts";
import type { PageServices, ServiceName, ConsoleServices } from "./services.ts";
import type { SessionMemory } from "./session-memory.ts";
import { isCsrfToken, type Visitor, type Visitors } from "./visitors.ts";

/** Each holds its form, which takes memory that all bodies share. */
const formsWaitingMax = 16;

/** Responds to a signed-in visitor. @throws PublicError */
type RunRoute = (call: ConsoleRequest, visitor: Visitor, method: string) => Promise<Response>;

/** Returns a function that runs the route of a request when it is the turn of its account. */
export function createRouteRunner(given: {
  accountOf: ConsoleSignIn["accountOf"];
  clock: Clock;
  findRoute: FindRoute;
  memory: SessionMemory;
  responder: Pick<Responder, "send">;
  server: Pick<Server, "turns">;
  services: PageServices;
}): RunRoute {
  const { accountOf, clock, findRoute, memory, responder, server, services } = given;
  return async (call, visitor, method) => {
    const { request, path, query, address } = call;
    const session = visitor.session!;
    const account = visitor.account!;
    const owner = ownerOf(account);
    const found = findRoute(method, path);
    if (found === undefined) throw noSuchPage();
    const { route, params } = found;
    authorize(account.role, route);
    const isForm = method !== "GET" && route.body !== "upload";
    const form = isForm ? await readForm(call, formBytesMax.signedIn) : new URLSearchParams();
    if (isForm) requireToken(form.get("form_token"), visitor);
    form.delete("form_token");
    const context: Context<ServiceName> = {
      services,
      request,
      path,
      query,
      form,
      async readUpload(limits) {
        const upload = await readUpload(request, limits);
        requireToken(upload.fields.get("form_token") ?? null, visitor);
        return upload;
      },
      params,
      account,
      by: consoleActor(account, address),
      write: services.storage.write,
      may: (permission) => may(account.role, permission),
      session,
      now: clock.now(),
      pause: () => server.turns.pause(owner),
      putOnce: (name, value) => memory.put(session.seq, name, value),
      takeOnce: <T>(name: string) => memory.take(session.seq, name) as T | undefined,
    };
    const work = async () => {
      // The role may have changed, or the account been disabled, while the request waited.
      authorize(accountOf(session)?.role, route);
      const result = await route.run(context);
      await context.pause();
      return responder.send(call, result);
    };
    // The body of an upload can take minutes to arrive, and is processed in slices.
    if (route.body === "upload") return work();
    // A change waits for other things than the processor: it must not wait behind pages, nor they behind it.
    const asker = { owner, session: session.seq };
    const changing = { owner: `${owner} changes`, session: session.seq, waitersMax: formsWaitingMax };
    return server.turns.run(method === "GET" ? asker : changing, request.signal, work);
  };
}

/** @throws PublicError `bad_request` */
function requireToken(token: string | null, visitor: Visitor): void {
  if (isCsrfToken(token, visitor)) return;
  throw badRequest("This form expired. Go back, reload the page, and submit it again.");
}

export function noSuchPage(): PublicError {
  return notFound("There is no page at this URL.");
}

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
