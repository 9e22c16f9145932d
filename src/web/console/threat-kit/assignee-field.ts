import type { Account } from "../../../access/accounts/accounts.ts";
import type { Assignee, Cases } from "../../../response/cases/cases.ts";
import { badRequest } from "../../../platform/lib/errors.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import type { Choice } from "../kit/form.tsx";

/** Value of the field `assignee` for the account that sends the form. */
export const ownAssignee = "me";
/** The choice that leaves a threat unassigned. */
export const nobodyChoice: Choice = { value: "nobody", label: "Nobody" };

const nameCharactersMax = 60;

/** Returns a choice for each account that threats can be assigned to. */
export function accountChoices(assignees: readonly Assignee[]): Choice[] {
  return assignees
    .filter(({ isAvailable }) => isAvailable)
    .map((one) => ({ value: assigneeValue(one), label: assigneeLabel(one) }));
}

/** Returns the value of the field for an assignee; null: unassigned. An account may have the name `me` or `nobody`. */
export function assigneeValue(assignee: Pick<Assignee, "name"> | null): string {
  return assignee === null ? nobodyChoice.value : `name:${assignee.name}`;
}

/** Returns the name of an assignee in a message; null: unassigned. */
export function assigneeLabel(assignee: Pick<Assignee, "name"> | null): string {
  return assignee === null ? "nobody" : visible(assignee.name, nameCharactersMax);
}

/**
 * Returns the account that a form names; null: unassigned.
 * @throws PublicError `bad_request` if there is no such account
 */
export function readAssignee(
  given: string,
  { account, cases }: { account: Pick<Account, "seq" | "name">; cases: Pick<Cases, "assignees"> },
): Pick<Assignee, "seq" | "name"> | null {
  if (given === ownAssignee) return account;
  if (given === nobodyChoice.value) return null;
  const found = cases.assignees().find((one) => assigneeValue(one) === given);
  if (found === undefined) throw badRequest("There is no such account; choose one from the list.");
  return found;
}
