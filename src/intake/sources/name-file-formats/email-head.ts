/** Lines of the head of an email that are read. */
const headLinesMax = 200;
/** Fields that lists of names do not start with. */
const fields = new Set(
  (
    "from to cc bcc subject date sent received return-path message-id mime-version content-type sender reply-to " +
    "content-transfer-encoding delivered-to envelope-to dkim-signature arc-seal arc-message-signature references " +
    "arc-authentication-results authentication-results received-spf in-reply-to list-unsubscribe thread-topic " +
    "thread-index x-received delivery-date list-id importance x-mailer user-agent"
  ).split(" "),
);
const field = /^([a-z][a-z0-9-]{1,60}):(?:[ \t]|$)/i;
/** The line before each message of a mailbox file (RFC 4155). */
const separator = /^From \S+ .*\d{4}/;

/** Returns whether a line separates the messages of a mailbox file. */
export function isSeparator(line: string): boolean {
  return separator.test(line);
}

/** Returns whether a text starts like an email with its header, or like a mailbox file. */
export function looksLikeEmail(text: string): boolean {
  return headFields(text).size >= 2;
}

/** Returns whether more of the text is needed to tell: it starts with one field. */
export function mayBeEmail(text: string): boolean {
  return headFields(text).size === 1 || /^\s*From /.test(text);
}

function headFields(text: string): Set<string> {
  const found = new Set<string>();
  const lines = text.trimStart().split("\n", headLinesMax);
  for (const [index, line] of lines.entries()) {
    if (index === 0 && isSeparator(line)) continue;
    if (index > 0 && /^[ \t]+\S/.test(line)) continue;
    const name = field.exec(line.trimEnd())?.[1]?.toLowerCase();
    if (name === undefined) break;
    if (fields.has(name) || name.startsWith("x-")) found.add(name);
  }
  return found;
}
