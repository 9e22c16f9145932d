import { readProxyUser } from "../../../access/accounts/proxy-users.ts";
import { badRequest } from "../../../platform/lib/errors.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import type { Role } from "../../../platform/vocabulary/permissions.ts";
import type { Flash } from "../kit/components.tsx";

import { consoleActor, type ConsoleRequest } from "../shell/request.ts";
import { flashName, type Responder } from "../shell/responses.tsx";
import type { ConsoleServices } from "../shell/services.ts";
import type { SessionMemory } from "../shell/session-memory.ts";
import type { Visitor, Visitors } from "../shell/visitors.ts";

/** Headers of untrusted senders are logged once per this time. */
const logIntervalMs = 3_600_000;

type ProxyUserParts = Pick<ConsoleServices, "clock" | "config" | "consoleSignIn" | "log" | "server"> & {
  memory: SessionMemory;
  responder: Responder;
  visitors: Visitors;
};

/** Signs in the users whom a proxy in `server.trusted_proxies` has authenticated. The session follows the header. */
export function createProxyUsers(parts: ProxyUserParts) {
  const { config, consoleSignIn, responder, server } = parts;
  const startSession = createSessionStart(parts);
  const logUntrusted = createUntrustedLog(parts);

  function refuse(call: ConsoleRequest, title: string, message: string): Response {
    return responder.page(call, title, <RefusedPage title={title} message={message} />, 403);
  }

  /** Returns the visitor that a request stands for, or the response that ends it. */
  async function identify(call: ConsoleRequest, visitor: Visitor): Promise<Visitor | Response> {
    const { request, address } = call;
    const settings = config.console.trustedUser;
    const user = readProxyUser(settings, {
      headers: request.headers,
      isFromTrustedProxy: () => server.isFromTrustedProxy(request),
    });
    const alone = { ...call, visitor: { ...visitor, session: undefined, account: undefined } };
    const hasLocalSession = visitor.account?.origin === "local";
    switch (user.outcome) {
      case "none":
        // Without the header, a session that it started counts no longer.
        return hasLocalSession ? visitor : alone.visitor;
      case "untrusted":
        logUntrusted(address);
        if (hasLocalSession) return visitor;
        return refuse(
          alone,
          "The sender is not trusted",
          `This request has the header ${settings!.header}, but did not come from a proxy in server.trusted_proxies. Open phishwatch at the address of the proxy, or add the proxy's network to that setting.`,
        );
      case "invalid_name":
        return refuse(
          alone,
          "The name is not allowed",
          `The proxy sent the name ${visible(user.given, 80)}, which cannot be a name of an account: letters a to z, digits, and . _ @ - are allowed, 64 characters at most. Let the proxy send another one, such as the user name or the email address.`,
        );
      case "repeated_groups":
        return refuse(
          alone,
          "The groups are not certain",
          `The header ${settings!.groupsHeader} contains a comma and a space, as a header that was sent twice. Let the proxy replace the header that a client sends, and separate groups without spaces.`,
        );
      case "no_role":
        return refuse(
          alone,
          "No role",
          `None of the groups of ${user.name} has a role here. Ask an administrator to add one of them to console.group_roles, or to check console.trusted_groups_separator.`,
        );
      case "user":
        return identifyUser(call, visitor, user, alone);
    }
  }

  async function identifyUser(
    call: ConsoleRequest,
    visitor: Visitor,
    user: { name: string; role: Role },
    alone: ConsoleRequest,
  ): Promise<Visitor | Response> {
    const found = await consoleSignIn.proxy.accountOf(user);
    if (found.outcome !== "account")
      return refuse(alone, refusals[found.outcome].title, refusals[found.outcome].message);
    const { account } = found;
    if (visitor.account?.seq === account.seq) return { ...visitor, account };
    return startSession(call, visitor, found.account, alone);
  }

  return { identify };
}

/** Returns a function that starts a session of the user and replaces the session of the browser, if there is one. */
function createSessionStart({ consoleSignIn, memory, responder, visitors }: ProxyUserParts) {
  return async function startSession(
    call: ConsoleRequest,
    visitor: Visitor,
    account: NonNullable<Visitor["account"]>,
    alone: ConsoleRequest,
  ): Promise<Visitor | Response> {
    const { request, address } = call;
    const isRead = request.method === "GET" || request.method === "HEAD";
    // The form was made for another session, or for none.
    if (!isRead)
      return responder.error(
        alone,
        badRequest(
          `The proxy reports that you are ${account.name}. No changes were made. Reload the page and try again.`,
        ),
      );
    if (request.headers.has("x-fragment")) return responder.html(alone, "", 401);
    // The browser does not send its cookie with a request from another site: the next one has it.
    if (visitor.session === undefined && request.headers.get("sec-fetch-site") === "cross-site")
      return visitor;
    const by = consoleActor(account, address);
    const userAgent = request.headers.get("user-agent") ?? "";
    const { token } = await consoleSignIn.proxy.start(
      account,
      { userAgent, visit: visitor.csrfToken, deviceMark: undefined },
      { by },
    );
    const started = visitors.ofToken(token)!;
    call.headers["set-cookie"] = visitors.sessionCookie(token);
    if (visitor.account !== undefined) {
      const flash: Flash = {
        tone: "warning",
        text: `The proxy reports that you are ${account.name}, so you are no longer signed in as ${visitor.account.name}.`,
      };
      memory.put(started.session!.seq, flashName, flash);
    }
    return started;
  };
}

const refusals = {
  local: {
    title: "The name belongs to another account",
    message:
      "The proxy sent a name that belongs to an account with a password, which the proxy cannot sign in to. Sign in with its password where requests have no such header, or let the proxy send another name, such as the email address.",
  },
  disabled: { title: "This account is disabled", message: "Ask an administrator to enable it." },
  too_many: {
    title: "Too many accounts",
    message: "No further account can be created. Ask an administrator.",
  },
} as const;

function createUntrustedLog({ clock, log }: ProxyUserParts) {
  let nextMs = 0;
  return (client: string | undefined): void => {
    const nowMs = clock.monotonicMs();
    if (nowMs < nextMs) return;
    nextMs = nowMs + logIntervalMs;
    log.event("console.untrusted_user_header", { client: client ?? null, setting: "server.trusted_proxies" });
  };
}

function RefusedPage({ title, message }: { title: string; message: string }) {
  return (
    <main class="card stack">
      <h1>{title}</h1>
      <p>{message}</p>
    </main>
  );
}
