import type { Faults } from "../faults/faults.ts";
import type { Instance } from "../instance/instance.ts";
import type { SandboxKeyName } from "../world/samples.ts";
import type { Inboxes } from "./inbox.ts";

/** The line that the sandbox prints once it accepts requests. */
export interface ReadyLine {
  url: string;
  /** URL of the API; ends with /v1. */
  base_url: string;
  control_url: string;
  keys: Record<SandboxKeyName, string>;
  console_password: string;
  seed: number;
  time: string;
  pid: number;
}

/** The sandbox as its control plane sees it. */
export interface SandboxState {
  readonly ready: ReadyLine;
  readonly inboxes: Inboxes;
  readonly faults: Faults;
  instance(): Instance;
  /** Resets everything to its initial state. A concurrent request sees the state before or after. */
  reset(): Promise<void>;
  /** Saves the state of everything except faults. Returns the snapshot's name. */
  snapshot(): string;
  /** Restores a snapshot: the latest unless named. Returns its name, or undefined if it does not exist. */
  restore(name?: string): Promise<string | undefined>;
}
