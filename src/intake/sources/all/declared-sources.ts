import type { Source } from "../source.ts";

/** Sources that the configuration file declares, by name. */
export interface DeclaredSources<Config, Opened extends Source> {
  /** The present sources, in the order of the file. The array itself changes with an update. */
  readonly list: readonly Opened[];
  /**
   * Makes the sources match what is declared. A source whose settings did not change goes on. One that was changed or removed
   * stops at its next yield, and everything up to its last recorded position is kept; a changed one then starts again.
   */
  update(declared: readonly Config[]): void;
  start(): void;
  stop(): Promise<void>;
}

/** @param options.open creates a source, without starting it */
export function createDeclaredSources<Config extends { name: string }, Opened extends Source>({
  declared,
  open,
}: {
  declared: readonly Config[];
  open: (config: Config) => Opened;
}): DeclaredSources<Config, Opened> {
  const list: Opened[] = [];
  let known = new Map<string, { config: Config; source: Opened }>();
  /** Sources that stop, by name. */
  const stopping = new Map<string, Promise<unknown>>();
  let isStarted = false;

  async function stopOne(name: string, source: Opened): Promise<void> {
    const stopped = Promise.all([stopping.get(name), source.stop()]);
    stopping.set(name, stopped);
    await stopped;
    if (stopping.get(name) === stopped) stopping.delete(name);
  }

  /** Two sources of one name would read the same position. */
  async function startOne(name: string, source: Opened): Promise<void> {
    await stopping.get(name);
    if (isStarted && known.get(name)?.source === source) source.start();
  }

  function update(wanted: readonly Config[]): void {
    const before = known;
    known = new Map(
      wanted.map((config) => {
        const present = before.get(config.name);
        const isSame = present !== undefined && Bun.deepEquals(present.config, config);
        return [config.name, isSame ? present : { config, source: open(config) }];
      }),
    );
    list.splice(0, list.length, ...[...known.values()].map(({ source }) => source));
    if (!isStarted) return;
    for (const [name, { source }] of before)
      if (known.get(name)?.source !== source) void stopOne(name, source);
    for (const [name, { source }] of known)
      if (before.get(name)?.source !== source) void startOne(name, source);
  }

  update(declared);
  return {
    list,
    update,
    start() {
      isStarted = true;
      for (const source of list) source.start();
    },
    async stop() {
      isStarted = false;
      await Promise.all([...stopping.values(), ...list.map((source) => source.stop())]);
    },
  };
}
