/** A mailbox, plain or percent-encoded. The lengths bound the work for hostile text. */
const mailbox = /[^\s/?&=#;,:"<>]{1,64}(?:@|%40)[^\s/?&=#;,:"<>]{1,255}/gi;
/** Text that can be a mailbox in Base64 or hexadecimal digits, in which kits often encode it. */
const encodedText = /[a-z0-9_-]{8,1000}(?:=|%3d){0,2}/gi;
const encodedMailbox = /^[\x20-\x7e]{0,200}[\w.+-]{1,64}@[\w-]{1,63}\.[a-z]{2}/i;
const removed = "[mailbox removed]";
const authority = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/**
 * Returns an address without the mailboxes in its path, query and fragment. The links of phishing emails name their
 * recipient, whom neither an abuse desk nor the attacker has to learn of.
 */
export function withoutMailboxes(address: string): string {
  const start = authority.exec(address)?.[0] ?? "";
  const rest = address.slice(start.length).replace(mailbox, removed);
  return start + rest.replace(encodedText, (text) => (encodesMailbox(text) ? removed : text));
}

function encodesMailbox(text: string): boolean {
  return (["base64", "hex"] as const).some((encoding) =>
    encodedMailbox.test(Buffer.from(text, encoding).toString("latin1")),
  );
}
