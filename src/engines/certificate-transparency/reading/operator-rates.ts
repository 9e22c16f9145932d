/** Requests that phishwatch sends to the logs of one operator, all logs together. */
export interface OperatorRate {
  requestsPerSecond: number;
  /** Maximum number of concurrent requests. */
  concurrency: number;
}

/**
 * Rates that the operators tolerate. Where a limit is known, a half or less of it is used, so that a second monitor
 * behind the same address still has room.
 */
const knownRates: Readonly<Record<string, OperatorRate>> = {
  // Serves about 32 entries in a response, so that keeping up takes more requests than elsewhere.
  Google: { requestsPerSecond: 10, concurrency: 4 },
  Cloudflare: { requestsPerSecond: 4, concurrency: 4 },
  // 0.15 to 0.18 requests per second for each address in October 2025 (ct-policy, "lTqtb4WHsqo").
  DigiCert: { requestsPerSecond: 0.15, concurrency: 1 },
  // 30 requests per second for each address, and 125 for all (ct-policy, February 2025).
  Sectigo: { requestsPerSecond: 10, concurrency: 4 },
  // 8 requests per second in 2021; a response to get-entries takes up to 30 s.
  TrustAsia: { requestsPerSecond: 4, concurrency: 4 },
  // Static logs: every request is a file of 256 entries, which caches serve.
  "Let's Encrypt": { requestsPerSecond: 10, concurrency: 4 },
  Geomys: { requestsPerSecond: 10, concurrency: 4 },
  "IPng Networks": { requestsPerSecond: 5, concurrency: 4 },
};

const otherRate: OperatorRate = { requestsPerSecond: 2, concurrency: 2 };
/** For logs that the configuration declares, whose operator has agreed to be read. */
const extraRate: OperatorRate = { requestsPerSecond: 50, concurrency: 4 };

/** Returns the rate for an operator. `configured` entries replace the rate, not the concurrency. */
export function operatorRate({
  operator,
  isExtra,
  configured,
}: {
  operator: string;
  isExtra: boolean;
  configured: readonly { operator: string; requestsPerSecond: number }[];
}): OperatorRate {
  const known = isExtra ? extraRate : Object.hasOwn(knownRates, operator) ? knownRates[operator]! : otherRate;
  const own = configured.find((entry) => entry.operator.toLowerCase() === operator.toLowerCase());
  return own === undefined ? known : { ...known, requestsPerSecond: own.requestsPerSecond };
}

/** Operators whose RFC 6962 logs also serve data tiles, which take a hundredth of the time of get-entries. */
const operatorsWithTiles = ["TrustAsia"];

export function mayHaveDataTiles({ operator }: { operator: string }): boolean {
  return operatorsWithTiles.includes(operator);
}
