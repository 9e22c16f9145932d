import type { ScreenshotOptions, ScreenshotResult } from "../../lookups/browser/chromium.ts";
import type { AddressRules } from "../../../platform/network/addresses.ts";
import type { NameServer } from "../../../platform/network/dns/dns-client.ts";
import type { Brand } from "../model/verdict.ts";
import type { InspectionResult, InspectionTarget } from "../model/inspector.ts";

/** Configuration of the thread that inspects pages, sent before everything else. */
export interface ThreadSettings {
  rules: AddressRules;
  /** Ports of web pages; undefined: the usual ones. */
  ports: { http: number; https: number } | undefined;
  resolvers: readonly NameServer[];
  queriesPerSecond: number;
  hasBrowser: boolean;
}

/** From the server's thread to the inspecting thread. */
export type Instruction =
  | { do: "set up"; settings: ThreadSettings }
  | { do: "set brands"; brands: readonly Brand[] }
  | { do: "inspect"; id: number; target: Omit<InspectionTarget, "onBrowser"> }
  | { do: "abort"; id: number }
  /** Gets a response, unless a page keeps the thread busy. */
  | { do: "respond" }
  /** Result of a page that the browser was to render. */
  | { do: "continue"; renderId: number; result: ScreenshotResult };

/** From the inspecting thread to the server's, which has the browser. */
export type Report =
  | { report: "result"; id: number; result: InspectionResult }
  | { report: "waits for browser"; id: number }
  | { report: "response" }
  | { report: "failed"; id: number; message: string }
  | { report: "render"; renderId: number; url: string; options: ScreenshotOptions }
  | { report: "stop rendering"; renderId: number };
