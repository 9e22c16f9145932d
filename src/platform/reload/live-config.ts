import type { Config } from "../config/config.ts";

/** The configuration in effect, which a reload replaces. */
export type LiveConfig = ReturnType<typeof createLiveConfig>;

/** Calls a listener after each reload. */
export type OnConfigChange = (listener: () => void) => void;

/** Properties whose value is exchanged as a whole, because it can be absent. */
const exchanged: readonly (keyof Config)[] = ["source", "smtp"];

export function createLiveConfig(initial: Config) {
  let current = initial;
  const listeners: (() => void)[] = [];
  const views = new Map<PropertyKey, object>();
  for (const name of Object.keys(initial) as (keyof Config)[]) {
    const value = initial[name];
    if (exchanged.includes(name) || Array.isArray(value) || typeof value !== "object") continue;
    const table = () => current[name] as object;
    const view = viewOf(table, (_key, part) => part);
    views.set(name, view);
  }
  const whole = () => current;
  return {
    /**
     * View of the configuration in effect. Its properties, also in tables, have their present values, so a service
     * reads a setting when it needs it, and copies none when it is constructed.
     */
    config: viewOf(whole, (key, value) => views.get(key) ?? value),

    /** Puts `next` into effect. Returns a function that puts the previous configuration back. */
    replace(next: Config) {
      const previous = current;
      current = keepEqual(previous, next);
      return () => void (current = previous);
    },

    /** Calls `listener` after each reload, for what has to do more than to read its settings again. It must not throw. */
    onChange: (listener: () => void) => void listeners.push(listener),

    /** Calls the listeners. */
    announce: () => listeners.forEach((listener) => listener()),
  };
}

/** Returns a read-only object that has the properties which `current()` has at the time. */
function viewOf<T extends object>(current: () => T, show: (key: PropertyKey, value: unknown) => unknown): T {
  return new Proxy({} as T, {
    get: (_target, key) => show(key, Reflect.get(current(), key)),
    has: (_target, key) => Reflect.has(current(), key),
    ownKeys: () => Reflect.ownKeys(current()),
    set: () => false,
    getOwnPropertyDescriptor(_target, key) {
      const present = Reflect.getOwnPropertyDescriptor(current(), key);
      if (present === undefined) return undefined;
      return { value: show(key, present.value), configurable: true, enumerable: true, writable: false };
    },
  });
}

/** Returns `next` with the objects of `previous` where they are equal, so that a part that did not change is identical. */
function keepEqual(previous: Config, next: Config): Config {
  const shared = (before: unknown, after: unknown) => (Bun.deepEquals(before, after, true) ? before : after);
  const entries = Object.entries(next).map(([name, value]: [string, unknown]) => {
    const before = Reflect.get(previous, name) as unknown;
    const isTable = typeof value === "object" && value !== null && !Array.isArray(value);
    if (!isTable || typeof before !== "object" || before === null) return [name, shared(before, value)];
    const parts = Object.entries(value).map(([key, part]: [string, unknown]) => [
      key,
      shared(Reflect.get(before, key), part),
    ]);
    return [name, shared(before, Object.fromEntries(parts))];
  });
  return Object.fromEntries(entries) as Config;
}
