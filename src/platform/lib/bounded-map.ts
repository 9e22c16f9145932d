/**
 * A map with at most `entriesMax` entries: the one that was set the longest ago makes room for a new one. Setting a key again
 * makes it the newest, so a cache that sets what it uses forgets the entry that was used least recently.
 */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #entriesMax: number;

  constructor(entriesMax: number) {
    super();
    this.#entriesMax = entriesMax;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#entriesMax) this.delete(this.keys().next().value!);
    return this;
  }

  /** Returns the value of a key. Creates and keeps it at the first use; later ones do not make it newer. */
  getOrCreate(key: Key, create: () => Value): Value {
    const known = this.get(key);
    if (known !== undefined) return known;
    const created = create();
    this.set(key, created);
    return created;
  }
}
