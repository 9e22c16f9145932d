import { isDeclared } from "../../../../platform/config/declared.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import type { List } from "../../../../response/outputs/block-lists/list.ts";
import { Confirm } from "../../kit/components.tsx";
import { Text } from "../../kit/name.tsx";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { listPath, listsPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { listOf } from "./parts.tsx";

/** Returns the list of the address. @throws PublicError `bad_request` if the configuration file declares it */
export function editableList(context: Context<"lists">): List {
  const list = listOf(context);
  if (isDeclared(list)) throw badRequest("This list is declared in the configuration file. Change it there.");
  return list;
}

export function setListState(change: "enable" | "disable") {
  return async (context: Context<"lists">): Promise<PageResult> => {
    const { id, name } = listOf(context);
    await context.write(() => context.services.lists[change](id, { by: context.by }));
    const consequence =
      change === "enable"
        ? "is enabled."
        : "is disabled: its addresses return 404. Resolvers continue to use what they have downloaded.";
    return redirect(listPath(id), `${name} ${consequence}`);
  };
}

export function confirmRotation(context: Context<"lists">): PageResult {
  const { id, name } = editableList(context);
  return page(
    "Replace token",
    <Confirm
      title="Replace the token of this list?"
      action={`${listPath(id)}/rotate`}
      button="Replace token"
      back={listPath(id)}
    >
      <p>
        <strong>
          <Text text={name} />
        </strong>{" "}
        gets new addresses. The current ones return 404 at once: resolvers and firewalls have to be set to the
        new address.
      </p>
    </Confirm>,
  );
}

export async function rotateList(context: Context<"lists">): Promise<PageResult> {
  const { id, name } = editableList(context);
  await context.write(() => context.services.lists.rotate(id, { by: context.by }));
  return redirect(listPath(id), `${name} has a new token. Its old addresses return 404.`);
}

export function confirmRemoval(context: Context<"lists">): PageResult {
  const { id, name } = editableList(context);
  return page(
    "Remove list",
    <Confirm
      title="Remove this list?"
      action={`${listPath(id)}/remove`}
      button="Remove list"
      back={listPath(id)}
    >
      <p>
        The addresses of{" "}
        <strong>
          <Text text={name} />
        </strong>{" "}
        will return 404. The threats stay as they are.
      </p>
    </Confirm>,
  );
}

export async function removeList(context: Context<"lists">): Promise<PageResult> {
  const { id, name } = editableList(context);
  await context.write(() => context.services.lists.remove(id, { by: context.by }));
  return redirect(listsPath, `${name} has been removed.`);
}
