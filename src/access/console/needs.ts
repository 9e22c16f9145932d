import type { DependenciesWithAccounts } from "../accounts/needs.ts";
import type { FailedSignIns } from "../audit/failed-sign-ins.ts";
import type { Settings } from "../settings/settings.ts";
import type { AttemptQueue, CodeAttempts } from "./attempt-queue.ts";
import type { KnownDevices } from "./known-devices.ts";
import type { ConsolePassword } from "./password.ts";
import type { PendingSignIns } from "./pending-sign-ins.ts";
import type { ConsoleSessions } from "./sessions.ts";
import type { SignInLog } from "./sign-in-log.ts";

/** The standard dependencies, and the parts of the sign-in. */
interface SignInDependencies extends DependenciesWithAccounts {
  codeAttempts: CodeAttempts;
  /** The settings of the console, which can change. */
  config: { readonly requireCodes: boolean };
  devices: KnownDevices;
  failedSignIns: FailedSignIns;
  password: ConsolePassword;
  pendingSignIns: PendingSignIns;
  queue: AttemptQueue;
  sessions: ConsoleSessions;
  settings: Settings;
  signInLog: SignInLog;
}

/** Types of the dependencies that a function names, of which one is a part of the sign-in. */
export type Needs<Name extends keyof SignInDependencies> = Pick<SignInDependencies, Name>;
