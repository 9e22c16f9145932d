/** Browsers on Windows pass no longer address to a mail program, and report no error. */
const mailtoLengthMax = 2_000;

/**
 * Returns a link that opens the report in a mail program (RFC 6068), with the body only if that is short enough.
 *
 * @param to a single plain address
 */
export function mailtoAddress({ to, subject, body }: { to: string; subject: string; body: string }): {
  address: string;
  withBody: boolean;
} {
  const [local = "", host = ""] = to.split("@");
  const address = `mailto:${encoded(local)}@${encoded(host)}?subject=${encoded(subject)}`;
  const whole = `${address}&body=${encoded(body.replaceAll("\n", "\r\n"))}`;
  const withBody = whole.length <= mailtoLengthMax;
  return { address: withBody ? whole : address, withBody };
}

/** Replaces lone surrogates, which cannot be encoded. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
