/** `reset`: closes the connection without a response; `silence`: never responds. */
export const endings = ["reset", "silence"] as const;
export type Ending = (typeof endings)[number];

/** A failure of a request, instead of the regular response or before it. */
export interface Failure {
  /** Status of the error response. */
  status?: number;
  /** Value of the Retry-After header. */
  retryAfterSeconds?: number;
  /** Delay before the response, in real time. */
  delayMs?: number;
  ending?: Ending;
}

/**
 * Carries out a failure.
 * @param fail returns the error response
 * @param succeed returns the regular response, for a failure that only delays
 */
export async function carryOut(
  failure: Failure,
  request: Request,
  fail: (status: number, headers: Record<string, string>) => Response,
  succeed: () => Response | Promise<Response>,
): Promise<Response> {
  if (failure.delayMs !== undefined) await pause(failure.delayMs, request.signal);
  if (failure.ending === "reset") return resetConnection();
  if (failure.ending === "silence") {
    await pause(undefined, request.signal);
    return resetConnection();
  }
  if (failure.status === undefined) return succeed();
  const { retryAfterSeconds } = failure;
  return fail(
    failure.status,
    retryAfterSeconds === undefined ? {} : { "retry-after": `${retryAfterSeconds}` },
  );
}

/** Resolves after `ms`, or when the caller disconnects. */
function pause(ms: number | undefined, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}

/** If a body fails before its first byte, Bun sends nothing and closes the connection with RST. */
function resetConnection(): Response {
  return new Response(
    new ReadableStream({
      pull(controller) {
        controller.error();
      },
    }),
  );
}

/**
 * Closes the connection after this response. Clients silently repeat a request if a reused connection is closed
 * without a response (RFC 9112 section 9.3.1), so they would never notice a reset.
 */
export function lastOfConnection(response: Response): Response {
  response.headers.set("connection", "close");
  return response;
}
