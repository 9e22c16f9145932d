import type { WorldOptions } from "./world.ts";

/** Contradictions that a log can serve for a while. */
export const lies = [
  "other root",
  "smaller tree",
  "other key",
  "tile of another log",
  "changed entries",
] as const;
export type Lie = (typeof lies)[number];

/** Instructions to the process of the log server. Each is confirmed by one `LogServerReport`. */
export type LogServerInstruction =
  | { do: "open"; world: WorldOptions; seed: number }
  /** @param counts entries to add to each log */
  | { do: "grow"; counts: readonly number[] }
  /** @param share share of the requests that get a faulty response */
  | { do: "disturb"; share: number }
  | { do: "lie"; log: number; lie: Lie | undefined };

export interface LogServerReport {
  logs: {
    name: string;
    logId: string;
    key: string;
    url: string;
    origin: string;
    protocol: "static" | "rfc6962";
    size: number;
    /** Hexadecimal. */
    root: string;
  }[];
  requests: number;
  faulty: number;
}
