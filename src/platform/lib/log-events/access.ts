import type { LogEvent } from "./event.ts";

/** Events of the console and API keys. */
export const accessEvents = {
  "console.signed_in": {
    level: "info",
    text: "console sign-in",
    description: "Somebody signed in to the console.",
    fields: ["account"],
    optional: ["client"],
  },
  "console.sign_in_failed": {
    level: "warn",
    text: "console sign-in failed",
    description:
      "An attempt to sign in failed. Further ones in the next minute are counted in `console.sign_ins_failed`.",
    advice: "Many of them are an attack on passwords: restrict access to the console with the proxy.",
    fields: ["outcome"],
    optional: ["client"],
  },
  "console.sign_ins_failed": {
    level: "warn",
    text: "console sign-ins failed",
    description: "Counts the failed attempts to sign in of the last minute.",
    advice: "Many of them are an attack on passwords: restrict access to the console with the proxy.",
    fields: ["failed", "notVerified", "networks"],
    optional: ["client"],
  },
  "console.untrusted_user_header": {
    level: "warn",
    text: "header of a user from an untrusted sender",
    description:
      "A request had the header of `console.trusted_user_header`, but did not come from a trusted proxy, so it was ignored. Logged once per hour.",
    advice:
      "If the client is your proxy, add its network to `server.trusted_proxies`. Otherwise somebody tries to pass for a user.",
    fields: ["setting"],
    optional: ["client"],
  },
  "console.session_use_not_stored": {
    level: "warn",
    text: "last use of a console session not stored",
    description: "The time of the last use of a session could not be stored.",
    fields: ["error"],
  },
  "console.index_not_built": {
    level: "warn",
    text: "threat index could not be built",
    description: "The index behind the list of threats could not be built. The next page tries again.",
    fields: ["error"],
  },
  "console.mark_not_counted": {
    level: "warn",
    text: "a number in the navigation could not be counted",
    description:
      "A number beside an entry of the console's navigation could not be read, so the page does not show it.",
    fields: ["error"],
  },
  "api_key.use_not_stored": {
    level: "warn",
    text: "last use of API keys not stored; trying again in a minute",
    description: "The time of the last use of API keys could not be stored.",
    fields: ["error"],
  },
} as const satisfies Record<string, LogEvent>;
