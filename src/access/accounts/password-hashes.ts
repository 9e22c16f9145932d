import { createLimiter } from "../../platform/lib/limiter.ts";
import { passwordCharactersMax } from "./password-rules.ts";

/** OWASP's recommendation for argon2id: 19 MiB, two iterations, one lane. Takes 31 ms. */
const argon2id = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
const currentPrefix = "$argon2id$v=19$m=19456,t=2,p=1$";
/** Hash that no password is compared with successfully, with the same parameters as all others. */
const nobodysHash = `${currentPrefix}JK/PMDROlSk0w/irFqy6CR3h0iz6FHe7qrbLM1ca2x4$vFnBK/lKejBkil98pTEil5qufS4UZo9xIWMViZnt52g`;
/** Maximum number of concurrent hashes, because each takes 19 MiB and a CPU core. Others wait. */
const concurrentHashesMax = 2;

/** Hashes of passwords. */
export type PasswordHashes = ReturnType<typeof createPasswordHashes>;

/** @param verify for tests, which count the calls */
export function createPasswordHashes({
  verify = Bun.password.verify,
}: { verify?: (password: string, hash: string) => Promise<boolean> } = {}) {
  const limited = createLimiter(concurrentHashesMax);
  return {
    hash: (password: string): Promise<string> => limited(() => Bun.password.hash(password, argon2id)),
    /**
     * Compares a password with a hash. It computes one argon2id hash in any case, so that the time does not reveal whether
     * there is an account, whether it has a password, and whether it is enabled.
     * @param hash null: there is none, and the result is false
     */
    async matches(password: string, hash: string | null): Promise<boolean> {
      const isPossible = password.length > 0 && password.length <= passwordCharactersMax;
      // Bun rejects an empty password instead of comparing it.
      const attempt = isPossible ? password : "-";
      const isEqual = await limited(() => verify(attempt, hash ?? nobodysHash));
      return isEqual && isPossible && hash !== null;
    },
    /** Returns whether a hash was made with other parameters than those in use. */
    isOutdated: (hash: string): boolean => !hash.startsWith(currentPrefix),
  };
}
