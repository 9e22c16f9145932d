import { createLogSigner } from "../../../test/support/log-entries.ts";
import { logFaults, type LogFault } from "../../../test/support/log-server-faults.ts";
import { startLogServer, type TestLog } from "../../../test/support/log-server.ts";
import { randomFrom, type Random } from "../../benchmarks/random.ts";
import type { Lie, LogServerInstruction, LogServerReport } from "./messages.ts";
import { createWorld } from "./world.ts";

// The logs of a campaign, in a process of their own: making a million entries takes half a minute of processor time.

const gigabyte = 2 ** 30;
const bombBytes = 200 * 2 ** 20;
/** Maximum numbers of entries that logs return in a response. */
const entriesPerResponse = [32, 100, 256, 1_000];

const server = startLogServer();
let logs: TestLog[] = [];
let random: Random = randomFrom(0);
let faulty = 0;
let share = 0;
let endLie = () => {};

process.on("message", (instruction: LogServerInstruction) => {
  perform(instruction);
  process.send!(report());
});
process.on("disconnect", () => process.exit());

function perform(instruction: LogServerInstruction): void {
  if (instruction.do === "open") return open(instruction);
  if (instruction.do === "disturb") return void (share = instruction.share);
  if (instruction.do === "lie") {
    endLie();
    endLie = instruction.lie === undefined ? () => {} : tell(instruction.lie, instruction.log);
    return;
  }
  for (const [index, count] of instruction.counts.entries()) {
    if (count > 0) logs[index]!.grow(count, Date.now());
  }
}

function open({ world: options, seed }: LogServerInstruction & { do: "open" }): void {
  const world = createWorld(options);
  random = randomFrom(seed);
  logs = world.logs.map(({ name, protocol }, index) =>
    server.add({
      name,
      protocol,
      entryAt: (entry) => world.entryAt(index, entry),
      batch: random.pick(entriesPerResponse),
      isAligned: random.below(2) === 0,
      isCompressed: random.below(4) > 0,
    }),
  );
  const faults: readonly LogFault[] = [
    logFaults.status(429, "1"),
    (...request) => logFaults.status(503, new Date(Date.now() + 2_000).toUTCString())(...request),
    logFaults.status(500),
    logFaults.status(404),
    logFaults.redirect("/log0/"),
    logFaults.html(),
    logFaults.body('{"entries": [{"leaf_input": '),
    logFaults.body(""),
    logFaults.cutGzip(),
    logFaults.gzipBomb(bombBytes),
    logFaults.long(10 * gigabyte),
    logFaults.broken(),
    logFaults.stuck(),
  ];
  server.fail(
    () => share > 0 && random.unit() < share,
    (...request) => {
      faulty++;
      return random.pick(faults)(...request);
    },
  );
}

/** Makes a log serve a contradiction. Returns a function that ends it. */
function tell(lie: Lie, index: number): () => void {
  const log = logs[index]!;
  const path = `/${log.log.description}/`;
  if (lie === "other root") log.pretend({ rootHash: new Uint8Array(32) });
  else if (lie === "smaller tree") {
    log.pretend({ size: Math.floor(log.size() / 2), timestamp: Date.now() + 1 });
  } else if (lie === "other key") log.pretend({}, createLogSigner());
  else {
    const isEntry = (requested: string) =>
      requested.startsWith(path) && /tile\/data|get-entries/.test(requested);
    const other = `/${logs[(index + 2) % logs.length]!.log.description}/`;
    const faults = {
      "changed entries": changedBytes,
      "unknown entry type": logFaults.unknownEntryType(),
      "tile of another log": (_: unknown, requested: string) =>
        server.respond(requested.replace(path, other)),
    };
    return server.fail(isEntry, faults[lie]);
  }
  return () => log.pretend(undefined);
}

const changedBytes = logFaults.changed((bytes) => {
  const changed = Uint8Array.from(bytes);
  const at = random.below(changed.length);
  changed[at] = changed[at]! ^ 1;
  return changed;
});

function report(): LogServerReport {
  return {
    logs: logs.map(({ log, size, rootAt }) => ({
      name: log.description,
      logId: log.logId,
      key: log.key,
      url: log.url,
      origin: log.origin,
      protocol: log.protocol,
      size: size(),
      root: size() === 0 ? "" : Buffer.from(rootAt(size())).toString("hex"),
    })),
    requests: server.requests.length,
    faulty,
  };
}
