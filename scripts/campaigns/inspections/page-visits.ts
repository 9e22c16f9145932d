/** Requests of a page that is shown to everybody in one attempt: as the first visitor and, unless it imitates, as another. */
const visitsPerAttempt = 2;
/**
 * Requests of the page of a threat in one life of the server. A kill between the transaction that records the threat and
 * the one that saves its facts leaves the threat without facts, so that the next life determines them by a visit of its own;
 * so does a kill during that visit, as often as there are kills. None of this is an attempt of the queue.
 */
const visitsForFacts = 2;

/** Row of the queue. */
export interface Row {
  address: string;
  host: string;
  state: string;
  attempts: number;
  started_at: number;
  imitates: number | null;
  reason: string | null;
}

/** Returns how often the pages of the rows were requested. @param startedAts when the lives of the server began */
export function createPageVisits({
  rows,
  startedAts,
  visits,
}: {
  rows: readonly Row[];
  startedAts: readonly number[];
  /** Requests of the page of each host. */
  visits: Readonly<Record<string, number>>;
}) {
  const visitsOf = ({ host }: Row) => visits[host] ?? 0;
  /** Number of lives in which the threat was on record at some time: that of the last attempt, and those after it. */
  const livesOf = ({ started_at: startedAt }: Row) => 1 + startedAts.filter((at) => at > startedAt).length;
  const maxOf = (row: Row) =>
    row.attempts * visitsPerAttempt + (row.imitates === 1 ? livesOf(row) * visitsForFacts : 0);
  return {
    /** Returns the pages that were requested more often than the kills explain, or never. */
    unexplained: () =>
      rows
        .filter((row) => visitsOf(row) > maxOf(row) || visitsOf(row) === 0)
        .map(
          (row) =>
            `${row.host}: ${visitsOf(row)} requests in ${row.attempts} attempts and ${livesOf(row)} lives of the server`,
        ),
    /** Returns the most requests of a page. @param imitates 1: of a copy; 0: of another page */
    most: (imitates: number) => Math.max(0, ...rows.filter((row) => row.imitates === imitates).map(visitsOf)),
  };
}
