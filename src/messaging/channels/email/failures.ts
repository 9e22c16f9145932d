/** Reasons why an email was not delivered. */
export type EmailFailure = keyof typeof emailFailures;

/** How to fix each failure, for people who see it for the first time. */
export const emailFailures = {
  no_mail_server: "No mail server is set. Set smtp.host and smtp.from in the configuration file.",
  dns: "The name of the mail server could not be resolved. Check smtp.host, and whether this machine's resolver knows the name.",
  connect:
    "The connection to the mail server failed. Check smtp.host and smtp.port, that the server is running, and that no firewall blocks the port.",
  tls: 'There is no trusted, encrypted connection to the mail server. Check that smtp.tls fits the port ("starttls" for 587, "tls" for 465) and that smtp.host is a name in the certificate. To trust your own certificate authority, set smtp.ca_file.',
  timeout:
    'The mail server did not respond in time. If it responds to nothing at all, smtp.tls may not fit the port ("starttls" for 587, "tls" for 465).',
  closed: "The mail server closed the connection. Check smtp.port; the log of the server may say why.",
  protocol: "The response is not SMTP. Check smtp.host and smtp.port.",
  denied: "The mail server accepts no mail from this machine. Its response or its log may say why.",
  login:
    'The mail server did not accept the user name and password. Check smtp.username and smtp.password, and whether smtp.tls has to be "starttls"; some services need a password for applications.',
  sender:
    "The mail server did not accept the sender. Check smtp.from, and whether the server needs smtp.username and smtp.password.",
  temporary: "The mail server asks to try again later. Its response may say why.",
  recipients:
    "The mail server asks to try some or all recipients again later. Recipients that accepted the message are not sent it again.",
  rejected:
    "The mail server rejected the message for good. Check the recipients of the channel; the response may say why.",
} as const;
