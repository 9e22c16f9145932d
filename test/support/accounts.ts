import { accounts } from "../../src/access/accounts/tables.ts";
import { createConsoleSessions } from "../../src/access/console/sessions.ts";
import { systemClock } from "../../src/platform/lib/clock.ts";
import { createLog } from "../../src/platform/lib/log.ts";
import type { Role } from "../../src/platform/vocabulary/permissions.ts";
import { fillRandom } from "./appliance.ts";
import type { ConsoleApp } from "./console.ts";
import { createVisitor, type Visitor } from "./visitor.ts";

/** A browser that is signed in to an account. */
export interface Person extends Visitor {
  name: string;
  role: Role;
  accountSeq: number;
  /** Sends a request of any method with the cookies of the browser, and returns its status. */
  send(
    method: string,
    path: string,
    init?: { headers?: Record<string, string>; body?: BodyInit },
  ): Promise<number>;
}

/** Adds an account without a password, and starts a session of it, which takes no time for a hash. */
export async function addPerson(
  { app, url }: Pick<ConsoleApp, "app" | "url">,
  { name, role }: { name: string; role: Role },
): Promise<Person> {
  const { database } = app;
  const account = database.query
    .insert(accounts)
    .values({ name, role, createdAt: systemClock.now() })
    .returning({ seq: accounts.seq })
    .get();
  return signInWithoutPassword({ app, url }, { name, role, accountSeq: account.seq });
}

/** Starts a further session of an account. */
export async function signInWithoutPassword(
  { app: { database }, url }: Pick<ConsoleApp, "app" | "url">,
  { name, role, accountSeq }: Pick<Person, "name" | "role" | "accountSeq">,
): Promise<Person> {
  const log = createLog({ level: "silent", format: "json", clock: systemClock, write: () => {} });
  const sessions = createConsoleSessions({ database, clock: systemClock, fillRandom, log });
  const visitor = createVisitor(url);
  // The first change of any visitor ends the sessions of an earlier password.
  await visitor.post("/console/sign-in", { form_token: "" });
  const { token } = sessions.start({ accountSeq, address: null, userAgent: "test" });
  visitor.cookies.clear();
  visitor.cookies.set("phishwatch_session", token);
  const formToken = await visitor.formToken();
  return {
    ...visitor,
    name,
    role,
    accountSeq,
    formToken: () => Promise.resolve(formToken),
    post: (path, fields, headers) => visitor.post(path, { form_token: formToken, ...fields }, headers),
    async send(method, path, { headers, body } = {}) {
      const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { cookie, origin: url, ...headers },
        redirect: "manual",
        ...(body === undefined ? {} : { body }),
      });
      await response.body?.cancel();
      return response.status;
    },
  };
}
