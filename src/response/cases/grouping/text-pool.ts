const textsMax = 20_000;

/** Returns a function that returns the same string for equal texts, so that frequent ones take memory once. */
export function createTextPool(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size < textsMax) known.set(text, text);
    return text;
  };
}
