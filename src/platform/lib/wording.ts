/** Formats a number for people, rounded to an integer: `1,234,567`. */
export function grouped(count: number): string {
  return Math.round(count).toLocaleString("en");
}

/** `1 threat`, `2 threats`, `1,000 threats`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** Turns an error message of one sentence into what follows the name of a program; the opposite of `sentence`. */
export function clause(text: string): string {
  const isOneSentence = !/[.!?]\s/.test(text);
  // An abbreviation, such as IP, stays as it is.
  const start = /^[A-Z][a-z]/.test(text) ? text.slice(0, 1).toLowerCase() + text.slice(1) : text;
  return isOneSentence ? start.replace(/\.$/, "") : text;
}

/** Returns the text with its first letter in upper case. */
export function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** Turns a reason or an error message, which are written to follow a name, into a sentence. */
export function sentence(text: string): string {
  return ended(capitalized(text));
}

/** Returns the text with a period, unless it ends like a sentence. */
export function ended(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** Replaces each `{{name}}` of a text by its value. One without a value stays. */
export function fillIn(text: string, values: Readonly<Record<string, string | number | undefined>>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (mark, name: string) => String(values[name] ?? mark));
}
