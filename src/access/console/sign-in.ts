import { createConsoleSessions, type ConsoleSessions } from "./sessions.ts";
import { createSignInThrottle, type SignInThrottle } from "./sign-in-throttle.ts";

/** What lets people into the console, and keeps guessers out. */
export function createConsoleSignIn(surroundings: Parameters<typeof createConsoleSessions>[0]): {
  sessions: ConsoleSessions;
  throttle: SignInThrottle;
} {
  const sessions = createConsoleSessions(surroundings);
  const signedInFrom = () => sessions.list().map(({ address }) => address);
  return { sessions, throttle: createSignInThrottle({ clock: surroundings.clock, signedInFrom }) };
}
