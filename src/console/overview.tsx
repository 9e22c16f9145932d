import { page } from "./answers.ts";
import { Facts, PageHead } from "./kit.tsx";
import type { PageGroup } from "./router.ts";

/** Where one begins: what the appliance holds. */
export const overviewPages: PageGroup = {
  nav: { section: "main", label: "Overview", path: "/console" },
  routes: [
    {
      method: "GET",
      path: "/console",
      answer({ services: { domains, keys, webhooks } }) {
        return page(
          "Overview",
          <>
            <PageHead title="Overview" />
            <Facts
              facts={[
                ["Protected domains", domains.list().length],
                ["API keys", keys.list().filter(({ revokedAt }) => revokedAt === null).length],
                ["Webhook endpoints", webhooks.endpoints.list().length],
              ]}
            />
          </>,
        );
      },
    },
  ],
};
