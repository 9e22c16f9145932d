import { FieldError } from "../../../platform/lib/errors.ts";
import type { Notice } from "../../content/notice.ts";
import { bearer } from "../http/bearer.ts";
import { classifyStatus, type NoticeChannelType } from "../http/notice-type.ts";
import { parseTemplate } from "./parse-template.ts";
import { templateValues } from "./values.ts";

/** Sends JSON that a template defines, to any service that accepts a POST request. */
export const template: NoticeChannelType = {
  type: "template",
  label: "Template",
  failures: {
    rejected:
      "The service rejected the message. Its response may say why. Compare the template with what the service accepts.",
  },
  // Not known for other services. Most accept more.
  ratePerSecond: 1,
  usesScreenshot: false,

  validate(target) {
    parseTemplate(target.template ?? "", templateValues);
    if (target.token !== null && Object.keys(target.headers).some((name) => /^authorization$/i.test(name)))
      throw new FieldError(
        "token",
        "token and a header Authorization exclude each other; remove one of them",
      );
    return target;
  },

  requests: ({ url, token, headers, template: text }, notice) => [
    {
      method: "POST",
      url: url ?? "",
      headers: { ...headers, ...bearer(token), "Content-Type": "application/json" },
      body: renderTemplate(text ?? "", notice),
    },
  ],

  classifyResponse: classifyStatus,
};

/** Fills in the values of a message. The result is JSON, whatever they contain. */
function renderTemplate(text: string, notice: Notice): string {
  const parts = parseTemplate(text, templateValues).map((part) => {
    if (typeof part === "string") return part;
    const value = templateValues[part.name]?.of(notice) ?? null;
    if (!part.inString) return JSON.stringify(value);
    return JSON.stringify(value === null ? "" : String(value)).slice(1, -1);
  });
  return parts.join("");
}
