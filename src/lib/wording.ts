/** A number as people read it, rounded to a whole one: `1,234,567`. */
export function grouped(count: number): string {
  return Math.round(count).toLocaleString("en");
}

/** `1 threat`, `2 threats`, `1,000 threats`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** A reason or the message of an error as a sentence: they are written to stand behind a name. */
export function sentence(text: string): string {
  const start = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(start) ? start : `${start}.`;
}
