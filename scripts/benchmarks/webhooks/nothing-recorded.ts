import { createHmac } from "node:crypto";
import type { Subject } from "../figures.ts";
import { load, rawRequest } from "../load.ts";
import { sampleEvent } from "./instance.ts";
import { startPlainReceiver, type PlainReceiver } from "./plain-receiver.ts";

/** As many as the sustained measurement has endpoints. Each has its own host, and so its own connections. */
const endpointCount = 25;
const concurrencyPerEndpoint = 4;
const socketsMs = 2_000;

/** Measures what signed deliveries cost without any record of them: a loop of `fetch`. */
export async function fetchLoop(deliveries: number): Promise<Subject["figures"]> {
  return withReceiver(async ({ port }) => {
    const body = JSON.stringify(sampleEvent());
    let started = 0;
    const worker = async (_: unknown, index: number) => {
      const url = `http://127.0.0.${1 + (index % endpointCount)}:${port}/`;
      while (started++ < deliveries) {
        const signature = createHmac("sha256", "whsec_benchmark").update(body).digest("hex");
        const headers = { "Content-Type": "application/json", "X-Service-Signature": `sha256=${signature}` };
        const response = await fetch(url, { method: "POST", body, headers, proxy: false as never });
        await response.bytes();
      }
    };
    const startedAt = performance.now();
    const before = process.cpuUsage();
    await Promise.all(Array.from({ length: endpointCount * concurrencyPerEndpoint }, worker));
    const { user, system } = process.cpuUsage(before);
    return {
      "deliveries/s": [(deliveries * 1_000) / (performance.now() - startedAt)],
      "CPU time, µs": [(user + system) / deliveries],
    };
  });
}

/** Measures what this machine and the receiver allow: the same unsigned request over plain sockets. */
export async function plainSockets(): Promise<Subject["figures"]> {
  return withReceiver(async ({ port }) => {
    const request = rawRequest("POST", "/", { body: sampleEvent() });
    const { requests, durationMs } = await load({
      port,
      connections: endpointCount,
      durationMs: socketsMs,
      nextRequest: () => request,
    });
    return { "deliveries/s": [(requests * 1_000) / durationMs] };
  });
}

async function withReceiver<Result>(measure: (receiver: PlainReceiver) => Promise<Result>): Promise<Result> {
  const receiver = await startPlainReceiver();
  try {
    return await measure(receiver);
  } finally {
    receiver.stop();
  }
}
