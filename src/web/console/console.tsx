import { PublicError } from "../../platform/lib/errors.ts";
import { logDropped } from "../../platform/lib/log.ts";
import { pathOf, queryOf } from "../../platform/lib/request-path.ts";
import type { ConsoleHandler } from "../api/server.ts";
import {
  assetsPath,
  invitationTokenIn,
  overviewPath,
  signInCodePath,
  signInPath,
  signOutEverywherePath,
  signOutPath,
} from "./kit/paths.ts";
import { homePath } from "./pages/first-run/progress.tsx";
import { pageGroups } from "./page-groups.ts";
import { createAssets } from "./shell/assets.ts";
import { isSecure, createVisitors, isSameOrigin, ownPath } from "./shell/visitors.ts";
import { ownerOf, type ConsoleRequest } from "./shell/request.ts";
import { createResponder } from "./shell/responses.tsx";
import { createRouteRunner, noSuchPage, createSignOut } from "./shell/route-runner.ts";
import { createRouter, type Route } from "./shell/router.ts";
import { pageServicesOf, type ConsoleServices } from "./shell/services.ts";
import { createSessionMemory } from "./shell/session-memory.ts";
import { createProxyUsers } from "./sign-in/proxy-user.tsx";
import { createSignIn } from "./sign-in/sign-in.tsx";
import { createInvitation } from "./sign-in/invitation.tsx";

// Nothing from other origins and nothing inline.
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const securityHeaders = {
  "content-security-policy": contentSecurityPolicy,
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
};

export function createConsole(given: ConsoleServices): ConsoleHandler {
  const { clock, config, consoleSignIn, fillRandom, log, server } = given;
  const services = pageServicesOf(given);
  buildThreatIndex(given);
  const secure = () => isSecure(config);
  const assets = createAssets();
  const memory = createSessionMemory();
  const { accountOf } = consoleSignIn;
  const visitors = createVisitors({ sessions: services.sessions, fillRandom, accountOf, secure });
  const findRoute = createRouter([
    ...pageGroups.flatMap((group) => group.routes),
    ...shellRoutes(createSignOut({ consoleSignIn, memory, visitors })),
  ]);
  const responder = createResponder({ assets, clock, findRoute, groups: pageGroups, log, memory, services });
  const signIn = createSignIn({ ...given, homePath: () => homePath(services), responder, secure, visitors });
  const invitations = createInvitation({ consoleSignIn, responder });
  const proxyUsers = createProxyUsers({ ...given, memory, responder, visitors });
  const checkPassword = createPasswordCheck(consoleSignIn, config);
  const runRoute = createRouteRunner({ accountOf, clock, findRoute, memory, responder, server, services });

  async function respond(call: ConsoleRequest): Promise<Response> {
    const { request, headers, path } = call;
    Object.assign(headers, securityHeaders);
    if (path.startsWith(`${assetsPath}/`))
      return respondWithAsset(call, assets) ?? responder.error(call, noSuchPage());
    const isRead = request.method === "GET" || request.method === "HEAD";
    let visitor = visitors.identify(request);
    // Not for other visitors: it may have to write, which a locked database delays.
    if (visitor.session !== undefined || !isRead) {
      await checkPassword();
      visitor = visitors.identify(request);
    }
    const identified = await proxyUsers.identify(call, visitor);
    if (identified instanceof Response) return identified;
    call.visitor = visitor = identified;
    if (path === `${overviewPath}/`) return responder.redirect(call, overviewPath);
    if (!isRead) requireSameOrigin(request, server.publicUrl);
    const open = respondToAnyone(call, isRead, { signIn, invitations });
    if (open !== undefined) return open;
    if (visitor.session === undefined)
      return signIn.requireSignIn(path === signInCodePath ? { ...call, path: overviewPath } : call, isRead);
    return runRoute(call, visitor, isRead ? "GET" : request.method);
  }

  async function respondWithError(call: ConsoleRequest, error: unknown): Promise<Response> {
    const account = call.visitor?.account;
    // With the navigation, the page of an error costs as much as others.
    if (account !== undefined) await server.turns.pause(ownerOf(account));
    return responder.error(call, error);
  }

  return async (request, headers, address) => {
    const path = pathOf(request.url);
    const query = queryOf(request.url);
    const body = server.bodies.open();
    const call: ConsoleRequest = { request, headers, address, path, query, body, visitor: undefined };
    const response = await respond(call).catch((error: unknown) => respondWithError(call, error));
    body.close();
    return response;
  };
}

/** @throws PublicError `forbidden` */
function requireSameOrigin({ headers }: Request, publicUrl: string): void {
  if (isSameOrigin(headers, publicUrl)) return;
  throw new PublicError(
    "forbidden",
    "This form was sent from another site. Submit it in the console itself.",
  );
}

function respondWithAsset(
  { path, request, headers }: ConsoleRequest,
  assets: ReturnType<typeof createAssets>,
): Response | undefined {
  const encoding = request.headers.get("accept-encoding");
  return assets.respond(path.slice(assetsPath.length + 1), encoding, headers);
}

/** Responds to requests for pages that need no session; returns undefined for any other. */
function respondToAnyone(
  call: ConsoleRequest,
  isRead: boolean,
  {
    signIn,
    invitations,
  }: { signIn: ReturnType<typeof createSignIn>; invitations: ReturnType<typeof createInvitation> },
): Response | Promise<Response> | undefined {
  const { path, query } = call;
  if (path === signInPath)
    return isRead ? signIn.showForm(call, ownPath(query.get("to"))) : signIn.signIn(call);
  if (path === signInCodePath && !isRead) return signIn.signInWithCode(call);
  const token = invitationTokenIn(path);
  if (token === undefined) return undefined;
  return isRead ? invitations.showInvitation(call, token) : invitations.acceptInvitation(call, token);
}

/**
 * Returns a function that ends the sessions of an old password. It does so once per start, and once after each change of
 * the configured password.
 */
function createPasswordCheck(
  { endSessionsOfOldPassword }: Pick<ConsoleServices["consoleSignIn"], "endSessionsOfOldPassword">,
  config: Pick<ConsoleServices["config"], "console">,
): () => Promise<void> {
  let checked: { password: string | null; done: Promise<void> } | undefined;
  return () => {
    const { password } = config.console;
    if (checked?.password === password) return checked.done;
    const done = endSessionsOfOldPassword().catch((error: unknown) => {
      checked = undefined;
      throw error;
    });
    checked = { password, done };
    return done;
  };
}

/** Starts to build the index while somebody types the password: for a million threats it takes seconds. */
function buildThreatIndex({ log, threatIndex }: Pick<ConsoleServices, "log" | "threatIndex">): void {
  threatIndex()
    .prepare()
    .catch((error: unknown) => logDropped(log, error, "console.index_not_built"));
}

/** Routes that concern the visitor's own session. */
export function shellRoutes(given: Record<"signOut" | "signOutEverywhere", Route["run"]>): Route[] {
  const { signOut, signOutEverywhere } = given;
  return [
    { method: "POST", path: signOutPath, permission: "session", run: signOut },
    { method: "POST", path: signOutEverywherePath, permission: "session", run: signOutEverywhere },
  ];
}
