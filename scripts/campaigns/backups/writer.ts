/**
 * Changes a database until it is killed: moves amounts between accounts, so that their sum stays the same, and numbers its
 * transactions. Prints each number after its commit. Arguments: path, number of this writer, seed.
 */
import { Database as Sqlite } from "bun:sqlite";
import { randomFrom } from "../../benchmarks/random.ts";

export const accountCount = 20_000;
export const amount = 100;

if (import.meta.main) {
  const [path = "", writer = "", seed = ""] = process.argv.slice(2);
  const random = randomFrom(Number(seed));
  const sqlite = new Sqlite(path, { readwrite: true, strict: true });
  sqlite.run("PRAGMA busy_timeout = 60000");
  sqlite.run("PRAGMA synchronous = NORMAL");
  // Some transactions write to the log before they are committed.
  sqlite.run("PRAGMA cache_size = 50");
  const move = sqlite.query("UPDATE sample_accounts SET amount = amount + ? WHERE seq = ?");
  const note = sqlite.query(
    "INSERT INTO sample_ledger (writer, number, padding) VALUES (?, ?, randomblob(?))",
  );
  const transact = sqlite.transaction((number: number, moves: number) => {
    for (let index = 0; index < moves; index++) {
      const by = random.below(10);
      move.run(-by, 1 + random.below(accountCount));
      move.run(by, 1 + random.below(accountCount));
    }
    note.run(Number(writer), number, random.below(3_000));
    if (random.below(8) === 0)
      sqlite.run("DELETE FROM sample_ledger WHERE writer = ? AND number < ?", [
        Number(writer),
        number - 2_000,
      ]);
  });
  for (let number = 1; ; number++) {
    transact.immediate(number, random.below(20) === 0 ? 3_000 : 1 + random.below(30));
    process.stdout.write(`${number}\n`);
    const checkpoint = ["PASSIVE", "RESTART", "TRUNCATE"][random.below(60)];
    if (checkpoint !== undefined) sqlite.query(`PRAGMA wal_checkpoint(${checkpoint})`).all();
  }
}
