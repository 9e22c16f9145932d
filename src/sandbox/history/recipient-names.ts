/** Names of the recipients of the history, so that the control plane tells them from those that a test adds. */
export const historyRecipients = { endpoint: "SIEM connector", channel: "Security team" } as const;
