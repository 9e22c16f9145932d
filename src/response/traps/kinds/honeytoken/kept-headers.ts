/** Selects the headers of a visitor that are kept as evidence: within limits, and without their secrets. */

const bytesMax = 4_096;
const headersMax = 60;

/** Cookies of a shared parent domain, passwords, keys: it is enough to know that there was one. */
const secretName =
  /^(cookie|.*(auth|token|secret|passw|(api|access)-?key|session|csrf|xsrf|jwt|assertion|oidc|credential|client-cert).*)$/;

/** Returns the headers in order, at most 4 KiB of names and values. Secret values are replaced by their length. */
export function keptHeaders(headers: Headers): [name: string, value: string][] {
  const kept: [string, string][] = [];
  let bytes = 0;
  for (const [name, value] of headers) {
    const room = bytesMax - bytes - name.length;
    if (room <= 0 || kept.length === headersMax) break;
    const shown = secretName.test(name) ? `(${value.length} characters, not kept)` : value;
    const cut = shown.slice(0, room);
    kept.push([name, cut]);
    bytes += name.length + cut.length;
  }
  return kept;
}
