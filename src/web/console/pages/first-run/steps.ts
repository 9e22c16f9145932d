import type { StepName } from "./progress.ts";

export const stepTitles: Readonly<Record<StepName, string>> = {
  domain: "Protect a domain",
  sources: "Check the sources",
  notify: "Choose who is notified",
  test: "Send a test message",
  scan: "Run the first scan",
};

/** Hint beside the title of a step that is not done. */
export const stepHints: Readonly<Record<StepName, string>> = {
  domain: "about 1 minute",
  sources: "certificate logs, lists",
  notify: "chat, email, webhook",
  test: "see it arrive",
  scan: "live results",
};
