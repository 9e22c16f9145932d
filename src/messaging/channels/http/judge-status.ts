import type { Judgement, NoticeResponse } from "./notice-type.ts";

/** Classifies a response by its status alone. For what a service says in the body, see each type's `judge`. */
export function judgeStatus({ status }: Pick<NoticeResponse, "status">): Judgement {
  if (status >= 200 && status <= 299) return { outcome: "delivered" };
  const error = `HTTP status ${status}`;
  switch (status) {
    case 401:
    case 403:
      return { outcome: "disable", failure: "unauthorized", error };
    case 404:
    case 410:
      return { outcome: "disable", failure: "gone", error };
    case 408:
    case 425:
      return { outcome: "retry", failure: "status", error };
    case 429:
      return { outcome: "retry", failure: "rate_limited", error };
    default:
      return status >= 400 && status <= 499
        ? { outcome: "drop", failure: "rejected", error }
        : { outcome: "retry", failure: "status", error };
  }
}

/** Returns the judgement of a successful status whose body is not a response of the service, such as a page. */
export function unexpected(body: string): Judgement {
  const page = /^\s*<(!doctype|html)/i.test(body) ? "an HTML page" : "another response";
  return { outcome: "retry", failure: "unexpected", error: `${page} instead of a confirmation` };
}
