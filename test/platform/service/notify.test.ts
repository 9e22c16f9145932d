import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createServiceNotifier } from "../../../src/platform/service/notify.ts";
import { temporaryFolder } from "../../support/appliance.ts";
import { commandFolder, type CommandFolder, quickestForm } from "../../support/command-line.ts";
import { openNotifyReceiver } from "../../support/notify-receiver.ts";
import { until } from "../../support/until.ts";

const isLinux = process.platform === "linux";

describe.if(isLinux)("the service notifier", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => void (folder = temporaryFolder()));
  afterEach(() => folder.dispose());

  const notify = (env: Record<string, string>) => {
    const failures: unknown[] = [];
    return {
      failures,
      notifier: createServiceNotifier({ env, failed: (error) => failures.push(error), pid: 42 }),
    };
  };

  test.each(["path", "abstract socket"])(
    "sends one datagram for each state to a socket with a name of the form %s",
    (form) => {
      const receiver = openNotifyReceiver(
        form === "path" ? join(folder.path, "notify") : `@phishwatch-test-${crypto.randomUUID()}`,
      );
      const { notifier, failures } = notify({
        NOTIFY_SOCKET: receiver.name,
        WATCHDOG_USEC: "1500000",
        WATCHDOG_PID: "42",
      });
      notifier.ready();
      notifier.status("ready on http://127.0.0.1:8080\nREADY=0");
      notifier.watchdog!.alive();
      notifier.stopping();
      notifier.ready();
      expect(failures).toEqual([]);
      expect(notifier.watchdog!.timeoutMs).toBe(1_500);
      expect(receiver.received()).toEqual([
        "READY=1",
        "STATUS=ready on http://127.0.0.1:8080 READY=0",
        "WATCHDOG=1",
        "STOPPING=1",
      ]);
      receiver.close();
    },
  );

  test("sends the monotonic time with a reload, which systemd compares with the time of its request", () => {
    const receiver = openNotifyReceiver(join(folder.path, "notify"));
    const { notifier } = notify({ NOTIFY_SOCKET: receiver.name });
    notifier.reloading();
    notifier.reloading();
    notifier.ready();
    const [first, second, ready] = receiver.received();
    const timeOf = (text = "") => BigInt(/^RELOADING=1\nMONOTONIC_USEC=([0-9]+)$/.exec(text)![1]!);
    expect(timeOf(second)).toBeGreaterThanOrEqual(timeOf(first));
    expect(timeOf(first)).toBeGreaterThan(0n);
    expect(ready).toBe("READY=1");
    receiver.close();
  });

  test("does nothing without a service manager", () => {
    const { notifier, failures } = notify({ WATCHDOG_USEC: "1500000" });
    notifier.ready();
    notifier.reloading();
    notifier.stopping();
    expect([notifier.watchdog, failures]).toEqual([undefined, []]);
  });

  test.each([
    ["a socket that does not exist", "/nonexistent/notify", /nothing was sent to/],
    ["a relative name", "notify", /neither an absolute path nor an abstract socket/],
    ["a name that is too long", `/${"a".repeat(200)}`, /longer than 108 bytes/],
  ])("reports only the first error and never throws with %s", (_, name, message) => {
    const { notifier, failures } = notify({ NOTIFY_SOCKET: name });
    notifier.ready();
    notifier.status("ready");
    expect(failures.map((failure) => (failure as Error).message)).toEqual([expect.stringMatching(message)]);
  });

  test.each([
    ["another process", { WATCHDOG_USEC: "1000000", WATCHDOG_PID: "43" }],
    ["no timeout", { WATCHDOG_USEC: "0" }],
    ["a timeout that is no number", { WATCHDOG_USEC: "soon" }],
  ])("has no watchdog if the service manager sets it for %s", (_, env) => {
    const receiver = openNotifyReceiver(join(folder.path, "notify"));
    expect(notify({ NOTIFY_SOCKET: receiver.name, ...env }).notifier.watchdog).toBeUndefined();
    receiver.close();
  });
});

describe.if(isLinux).each(quickestForm)("serve under a service manager ($form)", ({ command }) => {
  let folder: CommandFolder;
  beforeEach(() => void (folder = commandFolder()));
  afterEach(() => folder.dispose());

  test("`serve` reports that it is ready, that it is alive, and that it stops, in this order", async () => {
    const receiver = openNotifyReceiver(join(folder.path, "notify"));
    const server = await folder.serve({
      command,
      env: { NOTIFY_SOCKET: receiver.name, WATCHDOG_USEC: "40000" },
    });
    await receiver.next((text) => text === "READY=1", "the server is ready");
    const { length } = receiver.received();
    const signs = () =>
      receiver
        .received()
        .slice(length)
        .filter((text) => text === "WATCHDOG=1");
    await until(() => signs().length >= 3, "it goes on sending signs of life");
    expect((await server.stop()).code).toBe(0);
    const others = receiver.received().filter((text) => text !== "WATCHDOG=1");
    expect(others.slice(0, 2)).toEqual(["READY=1", `STATUS=ready on ${server.url}`]);
    // It loads the configuration once more after the start, so reloads may be in between.
    expect(receiver.received().indexOf("STOPPING=1")).toBe(receiver.received().length - 1);
    receiver.close();
  });

  test("`serve` works and logs one warning if the service manager cannot be reached", async () => {
    const server = await folder.serve({ command, env: { NOTIFY_SOCKET: join(folder.path, "missing") } });
    await until(() => server.err().includes("phishwatch started"), "it has started");
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    const { code, err } = await server.stop();
    expect(code).toBe(0);
    expect(err.match(/service manager could not be notified/g)).toHaveLength(1);
  });
});
