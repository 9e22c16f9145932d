import type { Faults } from "../faults/faults.ts";
import type { Instance } from "../instance/instance.ts";
import type { SandboxKeyName } from "../world/keys.ts";
import type { Inboxes } from "./inbox.ts";

/** What is printed once the sandbox answers. */
export interface ReadyLine {
  url: string;
  /** Of the API; ends with /v1. */
  base_url: string;
  control_url: string;
  keys: Record<SandboxKeyName, string>;
  console_password: string;
  seed: number;
  time: string;
  pid: number;
}

/** What the control plane acts on. */
export interface SandboxState {
  readonly ready: ReadyLine;
  readonly inboxes: Inboxes;
  readonly faults: Faults;
  instance(): Instance;
  /** Everything is as at the start, between two requests. */
  reset(): Promise<void>;
  /** Keeps the state of everything; answers the snapshot's name. */
  snapshot(): string;
  /** Back to a snapshot, the last one unless named. Answers its name, undefined when there is no such. */
  restore(name?: string): Promise<string | undefined>;
}
