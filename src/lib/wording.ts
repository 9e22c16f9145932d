/** Formats a number for people, rounded to an integer: `1,234,567`. */
export function grouped(count: number): string {
  return Math.round(count).toLocaleString("en");
}

/** `1 threat`, `2 threats`, `1,000 threats`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** Turns a reason or an error message, which are written to follow a name, into a sentence. */
export function sentence(text: string): string {
  const start = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(start) ? start : `${start}.`;
}
