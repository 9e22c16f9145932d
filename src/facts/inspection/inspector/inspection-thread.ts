import type { MessagePort } from "node:worker_threads";
import type { Clock } from "../../../platform/lib/clock.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import { yieldToOtherThreads } from "../../../platform/service/thread-priority.ts";
import type { ScreenshotResult } from "../../lookups/browser/chromium.ts";
import { createPageReader } from "../../lookups/page/page-reader.ts";
import { createDnsClient } from "../../../platform/network/dns/dns-client.ts";
import { resolveWithDns } from "../../../platform/network/dns/resolve-dns.ts";
import { shareLookups } from "../../../platform/network/shared-lookups.ts";
import { createTurns } from "../../../platform/network/turns.ts";
import type { Instruction, Report, ThreadSettings } from "./messages.ts";
import { createPageInspector, type PageInspector } from "./page-inspector.ts";
import type { Render } from "./render.ts";

/** Inspects pages in this thread on behalf of `createThreadInspector`. */
export function serveInspection(port: MessagePort, clock: Clock): void {
  yieldToOtherThreads();
  const report = (message: Report) => port.postMessage(message);
  const renders = createRenders(report);
  const running = new Map<number, AbortController>();
  let inspector: PageInspector | undefined;

  async function inspect({ id, target }: Extract<Instruction, { do: "inspect" }>): Promise<void> {
    const abort = new AbortController();
    running.set(id, abort);
    try {
      const onBrowser = () => report({ report: "waits for browser", id });
      const result = await inspector!.inspect({ ...target, onBrowser }, abort.signal);
      report({ report: "result", id, result });
    } catch (error) {
      report({ report: "failed", id, message: messageOf(error) });
    } finally {
      running.delete(id);
    }
  }

  port.on("message", (instruction: Instruction) => {
    switch (instruction.do) {
      case "set up":
        inspector = createHere(instruction.settings, clock, renders.render);
        break;
      case "set brands":
        inspector!.setBrands(instruction.brands);
        break;
      case "inspect":
        void inspect(instruction);
        break;
      case "respond":
        report({ report: "response" });
        break;
      case "abort":
        running.get(instruction.id)?.abort(new Error("given up"));
        break;
      case "continue":
        renders.finish(instruction.renderId, instruction.result);
        break;
    }
  });
}

/** Has pages rendered by the browser, which runs in the main thread only. */
function createRenders(report: (message: Report) => void) {
  const waiting = new Map<number, (result: ScreenshotResult) => void>();
  let lastId = 0;
  const render: Render = async (url, signal, options) => {
    signal.throwIfAborted();
    lastId += 1;
    const renderId = lastId;
    const { promise, resolve, reject } = Promise.withResolvers<ScreenshotResult>();
    const giveUp = () => {
      report({ report: "stop rendering", renderId });
      reject(signal.reason as Error);
    };
    waiting.set(renderId, resolve);
    signal.addEventListener("abort", giveUp, { once: true });
    report({ report: "render", renderId, url, options });
    try {
      return await promise;
    } finally {
      waiting.delete(renderId);
      signal.removeEventListener("abort", giveUp);
    }
  };
  return {
    render,
    finish: (renderId: number, result: ScreenshotResult) => waiting.get(renderId)?.(result),
  };
}

function createHere(
  { hasBrowser, ports, queriesPerSecond, resolvers, rules }: ThreadSettings,
  clock: Clock,
  render: Render,
): PageInspector {
  const dns = createDnsClient({
    clock,
    fillRandom: (bytes) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
    resolvers: () => resolvers,
    queriesPerSecond: () => queriesPerSecond,
  });
  const turns = createTurns();
  const reader = createPageReader({
    clock,
    rules,
    resolveHost: shareLookups({ clock, resolveHost: resolveWithDns(dns) }),
    turns,
    ports,
  });
  return createPageInspector({ clock, reader, render: hasBrowser ? render : undefined, turns });
}
