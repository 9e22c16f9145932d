import { describe, expect, test } from "bun:test";
import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import { PostButton } from "../../../src/web/console/kit/form.tsx";
import { LinkButton } from "../../../src/web/console/kit/components.tsx";
import { noPage, PageContextOf } from "../../../src/web/console/kit/page-context.ts";
import { authorize, type Route, type Context } from "../../../src/web/console/shell/router.ts";
import type { PageServices, ServiceName } from "../../../src/web/console/shell/services.ts";
import {
  may,
  permissions,
  roles,
  type Permission,
  type Role,
} from "../../../src/platform/vocabulary/permissions.ts";

describe("roles", () => {
  test.each<[Role, Permission[]]>([
    ["viewer", ["read", "session"]],
    ["analyst", ["read", "session", "decide", "annotate", "report", "inspect", "import", "scan"]],
    ["administrator", [...permissions]],
  ])("a %s has exactly the permissions of that role", (role, expected) => {
    expect(permissions.filter((permission) => may(role, permission))).toEqual(
      permissions.filter((permission) => expected.includes(permission)),
    );
  });

  test("every role may read and change its own session", () => {
    for (const role of roles) expect([may(role, "read"), may(role, "session")]).toEqual([true, true]);
  });
});

describe("the router", () => {
  test("rejects a route that the role does not allow, and accepts one that it does", () => {
    const route: Pick<Route, "permission"> = { permission: "decide" };
    expect(() => authorize("viewer", route)).toThrow("Your role does not allow this.");
    expect(() => authorize("analyst", route)).not.toThrow();
    expect(() => authorize("analyst", { permission: "administer" })).toThrow(
      "Your role does not allow this.",
    );
    expect(() => authorize("administrator", { permission: "administer" })).not.toThrow();
  });

  test("offers a page the services that its context names and no others, which the compiler checks", async () => {
    const route: Route = {
      method: "GET",
      path: "/console/feeds",
      permission: "read",
      run({ services }: Context<"feeds">) {
        // @ts-expect-error The context does not name the keys.
        expect(services.keys).toBeUndefined();
        return new Response(Object.keys(services.feeds).join());
      },
    };
    const services = { feeds: { list: () => [] } } as unknown as PageServices;
    const response = await route.run({ services } as Context<ServiceName>);
    expect(await (response as Response).text()).toBe("list");
  });
});

describe("buttons", () => {
  const render = (allowed: boolean) =>
    renderToString(
      h(
        PageContextOf.Provider,
        { value: { ...noPage, csrfToken: "t", may: () => allowed, mayOpen: () => allowed } },
        h(PostButton, { action: "/console/settings/system/backup", label: "Back up" }),
        h(LinkButton, { path: "/console/settings/keys/create", label: "Create" }),
      ),
    );

  test("are shown for actions that the visitor may take", () => {
    expect(render(true)).toContain("Back up");
    expect(render(true)).toContain("Create");
  });

  test("are not rendered for actions that the visitor may not take", () => {
    expect(render(false)).toBe("");
  });
});
