/** What is kept of a visitor's headers: evidence, but no secret of a passer-by, and within bounds. */

const bytesMax = 4_096;
const namesMax = 60;

/** Cookies of a shared parent domain, passwords, keys: that there was one is enough to know. */
const secret =
  /^(cookie|.*(auth|token|secret|passw|(api|access)-?key|session|csrf|xsrf|jwt|assertion|oidc|credential|client-cert).*)$/;

/** In order of arrival, 4 KiB of names and values at most; values of secret ones say only how long they were. */
export function keptHeaders(headers: Headers): [name: string, value: string][] {
  const kept: [string, string][] = [];
  let bytes = 0;
  for (const [name, value] of headers) {
    const room = bytesMax - bytes - name.length;
    if (room <= 0 || kept.length === namesMax) break;
    const shown = secret.test(name) ? `(${value.length} characters, not kept)` : value;
    const cut = shown.slice(0, room);
    kept.push([name, cut]);
    bytes += name.length + cut.length;
  }
  return kept;
}
