import type { Inbox, Inboxes } from "./control/inbox.ts";
import type { SandboxState } from "./control/state.ts";
import type { Faults } from "./faults/faults.ts";
import {
  openInstance,
  type Instance,
  type InstanceOptions,
  type InstanceState,
} from "./instance/instance.ts";

/** The sequence of instances: a reset or a restored snapshot replaces the current one. */
export interface Instances extends Pick<SandboxState, "reset" | "snapshot" | "restore"> {
  current(): Instance;
  /** Stops the current instance at once. */
  stop(): void;
}

interface Snapshot {
  name: string;
  instance: InstanceState;
  inboxes: Map<string, Inbox>;
}

/** Initial state of a new instance. */
interface Replacement {
  /** Absent: the start of the sandbox. */
  instance?: InstanceState;
  inboxes: Map<string, Inbox>;
}

const snapshotsMax = 50;

/** Resolves when the first instance is open. */
export async function openInstances({
  options,
  inboxes,
  faults,
}: {
  options: InstanceOptions;
  inboxes: Inboxes;
  faults: Faults;
}): Promise<Instances> {
  const snapshots: Snapshot[] = [];
  let snapshotsTaken = 0;
  let queue: Promise<unknown> = Promise.resolve();
  let current = await openInstance(options);

  /** Replaces the current instance. Concurrent calls run one after another. */
  function replace(from: () => Replacement): Promise<void> {
    const turn = replaceAfter(queue, from);
    queue = turn.catch(() => {});
    return turn;
  }

  async function replaceAfter(earlier: Promise<unknown>, from: () => Replacement): Promise<void> {
    await earlier;
    const before = current;
    // Otherwise deliveries of this instance could arrive after the reset.
    await before.quiesce();
    const { instance, inboxes: restored } = from();
    current = await openInstance(options, instance);
    faults.clear();
    inboxes.restore(restored);
    void before.end();
  }

  return {
    current: () => current,
    reset: () => replace(() => ({ inboxes: new Map() })),
    snapshot() {
      snapshotsTaken += 1;
      const name = `snapshot-${snapshotsTaken}`;
      snapshots.push({ name, instance: current.save(), inboxes: inboxes.save() });
      if (snapshots.length > snapshotsMax) snapshots.shift();
      return name;
    },
    async restore(name) {
      const snapshot = name === undefined ? snapshots.at(-1) : snapshots.find((one) => one.name === name);
      if (snapshot === undefined) return undefined;
      await replace(() => ({ instance: snapshot.instance, inboxes: snapshot.inboxes }));
      return snapshot.name;
    },
    stop: () => current.clock.close(),
  };
}
