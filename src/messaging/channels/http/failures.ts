/** Advice on how to fix the failures that all channels for people share. */
export const noticeFailures: Readonly<Record<string, string>> = {
  dns: "The service's host name could not be resolved. Check the URL, and whether this machine's resolver knows the name.",
  refused_address:
    "phishwatch does not send to the service's address. To allow private networks, set webhooks.allow_private_networks.",
  connect:
    "The connection failed. Check that the service can be reached from this machine, and that no firewall blocks it.",
  tls: "The service's certificate was not accepted, or its port does not use TLS. To trust your own certificate authority, set webhooks.ca_file.",
  timeout: "The service did not respond in time (webhooks.timeout).",
  protocol:
    "The response is not HTTP. Check that the URL leads to the service, and whether it needs https://.",
  redirect: "The service responded with a redirect, which is not followed. Enter the URL that it leads to.",
  rate_limited: "The service receives too many messages, also from other senders. Wait a while.",
  status: "The service could not accept the message now. Check whether it works; its response may say why.",
  unexpected: "The response is not one of the service. Check the URL, and whether a proxy is in between.",
  rejected:
    "The service rejected the message. Its response may say why. Check that the URL is complete and belongs to this type of channel.",
  unauthorized:
    "The secret was revoked, or does not permit this. Create a new one in the service, and enter it in phishwatch.",
  gone: "The service does not know the address any more. Create a new one in the service, and enter it in phishwatch.",
};
