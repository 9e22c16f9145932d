import { expect, test } from "bun:test";
import type { CertificateLog } from "../../../src/engines/certificate-transparency/log.ts";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import {
  createPipeline,
  type Pipeline,
} from "../../../src/intake/sources/certificate-log-reading/pipeline.ts";

const log: CertificateLog = {
  logId: "a",
  description: "a log",
  operator: "somebody",
  key: "",
  protocol: "rfc6962",
  url: "http://127.0.0.1:9/",
  origin: "",
  isExtra: true,
  finalSize: null,
};

test("the reader of a log is closed even if its failure cannot be reported", async () => {
  let closed = 0;
  const fails = () => Promise.reject(new Error("no connection"));
  const stopping = Promise.withResolvers<void>();
  const pipeline: Pipeline = createPipeline({
    settings: { catchUpMs: 0, firstStart: "end", namesOnly: false },
    clock: systemClock,
    random: () => 0,
    openReader: () => ({
      log,
      treeHead: fails,
      entries: fails,
      partialLeafHashes: fails,
      compactRange: fails,
      close: () => void (closed += 1),
    }),
    pollMs: () => 1_000,
    report() {
      stopping.resolve(pipeline.stop());
      throw new Error("the server's thread has ended");
    },
    reclaimMemory: undefined,
  });
  pipeline.receive({ do: "follow", log, generation: 1, progress: null });
  await expect(stopping.promise).rejects.toThrow("the server's thread has ended");
  expect(closed).toBe(1);
});
