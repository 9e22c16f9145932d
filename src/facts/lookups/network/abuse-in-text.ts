import { emailValue } from "../registries/registry-values.ts";

/** Bounds the work on hostile text. */
const lineCharactersMax = 300;
const linesMax = 100;
const address = /[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/g;

/**
 * Returns the abuse address in free text, such as the remarks of a network: an address whose local part says so, or
 * else the only address in a line about abuse.
 */
export function abuseEmailIn(lines: readonly string[]): string | undefined {
  const found = lines.slice(0, linesMax).map((line) => {
    const text = line.slice(0, lineCharactersMax);
    return { isAboutAbuse: /abuse/i.test(text), addresses: text.match(address) ?? [] };
  });
  for (const { addresses } of found) {
    const named = addresses.find((text) => /abuse/i.test(text.slice(0, text.lastIndexOf("@"))));
    if (named !== undefined) return emailValue(named);
  }
  const only = found.find(({ isAboutAbuse, addresses }) => isAboutAbuse && addresses.length === 1);
  return only === undefined ? undefined : emailValue(only.addresses[0]);
}
