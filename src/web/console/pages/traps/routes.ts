import type { TrapKind } from "../../../../response/traps/kind.ts";
import { rotates, type TrapKindName } from "../../../../platform/vocabulary/traps.ts";
import { redirect } from "../../kit/page-result.ts";
import { formerTrapsPath, trapPath, trapsPath, visitPath } from "../../kit/paths.ts";
import type { PageGroup, Context, Route } from "../../shell/router.ts";
import {
  confirmDeletion,
  confirmRotation,
  deleteTrap,
  rotateTrap,
  sendFile,
  setTrapState,
} from "./actions.tsx";
import { showTrap } from "./detail.tsx";
import { createTrap, newTrap } from "./form.tsx";
import { listTraps } from "./list.tsx";
import { showVisit } from "./visits.tsx";

type Services = "domains" | "traps";
type Run = (context: Context<Services>, kind: TrapKind) => ReturnType<Route<Services>["run"]>;

/** Returns the pages for one kind of trap. */
export function trapPages(kind: TrapKind): PageGroup {
  const all = trapsPath(kind.name);
  const one = `${all}/:id`;
  const route = (
    [method, path]: [Route["method"], string],
    permission: Route["permission"],
    run: Run,
  ): Route<Services> => ({ method, path, permission, run: (context) => run(context, kind) });
  return {
    nav: { section: "traps", label: kind.presentation.title, icon: kind.presentation.icon, path: all },
    routes: [
      route(["GET", all], "read", listTraps),
      route(["GET", `${all}/new`], "administer", newTrap),
      route(["POST", `${all}/new`], "administer", createTrap),
      route(["GET", one], "read", showTrap),
      route(["GET", visitPath(one, ":seq")], "read", showVisit),
      route(["POST", `${one}/state`], "administer", setTrapState),
      route(["GET", `${one}/delete`], "administer", confirmDeletion),
      route(["POST", `${one}/delete`], "administer", deleteTrap),
      ...(rotates(kind.name)
        ? [
            route(["GET", `${one}/rotate`], "administer", confirmRotation),
            route(["POST", `${one}/rotate`], "administer", rotateTrap),
          ]
        : []),
      ...(kind.presentation.files === undefined ? [] : [route(["GET", `${one}/file`], "read", sendFile)]),
      ...kind.presentation.aliases.flatMap((alias) => formerRoutes(formerTrapsPath(alias), kind.name)),
    ],
  };
}

/** Redirects pages at a former address of the section. */
function formerRoutes(former: string, name: TrapKindName): Route<Services>[] {
  const redirectFrom = (path: string, to: (params: Record<string, string>) => string): Route<Services> => ({
    method: "GET",
    path,
    permission: "read",
    run: ({ params }) => redirect(to(params)),
  });
  const one = ({ id = "" }: Record<string, string>) => trapPath(name, encodeURIComponent(id));
  return [
    redirectFrom(former, () => trapsPath(name)),
    redirectFrom(`${former}/:id`, one),
    redirectFrom(visitPath(`${former}/:id`, ":seq"), (params) =>
      visitPath(one(params), Number(params["seq"])),
    ),
  ];
}
