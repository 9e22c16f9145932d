const validRequestId = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the ID of a request for its response's X-Request-Id header. */
export type RequestIdOf = (request: Request) => string;

/** Returns a function that takes the caller's ID if it is valid, else a new one. */
export function createRequestIds(newRequestId: () => string): RequestIdOf {
  return ({ headers }) => {
    const given = headers.get("x-request-id");
    return given !== null && validRequestId.test(given) ? given : newRequestId();
  };
}
