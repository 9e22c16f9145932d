import { expect, test } from "bun:test";
import { startView } from "../../../src/facts/lookups/browser/chromium.ts";
import { manualClock } from "../../support/appliance.ts";
import { until } from "../../support/until.ts";

/** Starts views of which the first `failing` fail, as they do while the previous browser ends. */
function start({
  failing,
  signal = new AbortController().signal,
}: {
  failing: number;
  signal?: AbortSignal;
}) {
  const clock = manualClock();
  let created = 0;
  const create = () => {
    const number = ++created;
    const navigate = async () => {
      if (number <= failing) throw new Error(`Chrome process ${number} closed the pipe`);
    };
    return { number, navigate };
  };
  return { started: startView(create, { clock, signal }), clock, created: () => created };
}

test("a browser is started again if the previous one of the process has not ended yet", async () => {
  const { started, clock } = start({ failing: 2 });
  let view: { number: number } | undefined;
  void started.then((one) => (view = one));
  await until(() => {
    clock.advance(50);
    return view !== undefined;
  }, "a browser is started");
  expect(view!.number).toBe(3);
});

test("a browser that cannot be started fails with its last reason", async () => {
  const { started, clock } = start({ failing: Infinity });
  let failure: unknown;
  started.catch((error: unknown) => (failure = error));
  await until(() => {
    clock.advance(50);
    return failure !== undefined;
  }, "it has failed");
  expect(failure).toEqual(new Error("Chrome process 4 closed the pipe"));
});

test("a browser is not started again after nobody waits for it any longer", async () => {
  const over = new AbortController();
  const { started, created } = start({ failing: 1, signal: over.signal });
  over.abort();
  await expect(started).rejects.toThrow("aborted");
  expect(created()).toBe(1);
});
