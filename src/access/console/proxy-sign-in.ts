import type { Role } from "../../platform/vocabulary/permissions.ts";
import { accountsMax, type Account } from "../accounts/accounts.ts";
import { system, type ByActor } from "../audit/actor.ts";
import type { Needs } from "./needs.ts";
import type { Browser, Steps } from "./sign-in-steps.ts";

type ProxyAccount =
  | { outcome: "account"; account: Account }
  /** `local`: the name belongs to an account with a password, which a proxy must not take over. */
  | { outcome: "local" | "disabled" | "too_many" };

/** Accounts of users whom a trusted proxy has authenticated. */
export function createProxySignIn({
  accounts,
  auditLog,
  clock,
  database,
  signInLog,
  start,
}: Steps & Needs<"accounts" | "clock" | "database">) {
  function create(name: string, role: Role): Account | undefined {
    if (accounts.list().filter(({ origin }) => origin === "proxy").length >= accountsMax) return undefined;
    const row = { name, role, createdAt: clock.now(), passwordHash: null, origin: "proxy" } as const;
    const account = accounts.insert(row);
    auditLog.record(system, "account.add", name, { role, origin: "proxy" });
    return account;
  }

  return {
    /** Returns the account with the role of the user's groups. Creates it at the first visit. */
    async accountOf({ name, role }: { name: string; role: Role }): Promise<ProxyAccount> {
      // If two first requests arrive at once, the second finds the account that the first has created.
      const find = () => accounts.byName(name);
      const known = find() ?? (await database.write(() => find() ?? create(name, role)));
      if (known === undefined) return { outcome: "too_many" };
      if (known.origin !== "proxy") return { outcome: "local" };
      if (known.disabledAt !== null) return { outcome: "disabled" };
      if (known.role === role) return { outcome: "account", account: known };
      await database.write(() => {
        accounts.update(known.seq, { role });
        auditLog.record(system, "account.change_role", name, { before: known.role, after: role });
      });
      return { outcome: "account", account: { ...known, role } };
    },

    /** Starts a session. */
    async start(account: Account, browser: Browser, { by }: ByActor) {
      const signedIn = await database.write(() => start(account, browser, by));
      signInLog.succeeded(account.name, by.address);
      return signedIn;
    },
  };
}
