import type { AttemptResult } from "../../../../messaging/deliveries/channel.ts";
import { sentence } from "../../../../platform/lib/wording.ts";
import { FlashMessage } from "../../kit/marks.tsx";
import { ResponseStart } from "./delivery-parts.tsx";

/** Outcome of a test, with advice on how to fix a failure. */
export interface TestShown extends Pick<
  AttemptResult,
  "statusCode" | "durationMs" | "error" | "failure" | "response"
> {
  advice: string;
}

/** Returns what the next page shows of a test. */
export function testShown(result: AttemptResult, advice: string | undefined): TestShown {
  const { statusCode, durationMs, error, failure, response } = result;
  return { statusCode, durationMs, error, failure, response, advice: advice ?? "" };
}

/** Result of a test, shown once. */
export function TestNote({ test }: { test: TestShown }) {
  const { advice, durationMs, error, failure, response, statusCode } = test;
  if (failure === null)
    return (
      <FlashMessage
        flash={{
          tone: "success",
          text: `Test delivered${statusCode === null ? "" : `: status ${statusCode}`} in ${durationMs} ms.`,
        }}
      />
    );
  return (
    <>
      <FlashMessage
        flash={{ tone: "danger", text: `Test failed: ${sentence(error ?? failure)} ${advice}`.trim() }}
      />
      <ResponseStart response={response} />
    </>
  );
}
