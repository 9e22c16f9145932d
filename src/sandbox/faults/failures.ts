/** What is to go wrong with the next requests, instead of the right answer or before it. */
export interface Failure {
  /** Answers with this status. */
  status?: number;
  /** In seconds, for the header Retry-After. */
  retryAfterSeconds?: number;
  /** Waits so long first; real time, whatever the sandbox's clock says. */
  delayMs?: number;
  /** `reset`: closes the connection; `silence`: never answers. */
  answer?: "reset" | "silence";
}

/**
 * Carries a failure out.
 * @param otherwise the right answer, for a failure that only delays
 * @param refuse the answer with `status`
 */
export async function carryOut(
  failure: Failure,
  request: Request,
  refuse: (status: number, headers: Record<string, string>) => Response,
  otherwise: () => Response | Promise<Response>,
): Promise<Response> {
  if (failure.delayMs !== undefined) await pause(failure.delayMs, request.signal);
  if (failure.answer === "reset") return resetConnection();
  if (failure.answer === "silence") {
    await pause(undefined, request.signal);
    return resetConnection();
  }
  if (failure.status === undefined) return otherwise();
  const { retryAfterSeconds } = failure;
  return refuse(
    failure.status,
    retryAfterSeconds === undefined ? {} : { "retry-after": `${retryAfterSeconds}` },
  );
}

/** Until the time is over or the caller has gone. */
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

/** Bun closes the connection with RST, and sends nothing, when a body fails before its first byte; without a word. */
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
 * The connection ends with this answer. Clients send a request again by themselves when a connection that they used
 * before is closed without an answer (RFC 9112 section 9.3.1), and would never see a reset.
 */
export function lastOfConnection(answer: Response): Response {
  answer.headers.set("connection", "close");
  return answer;
}
