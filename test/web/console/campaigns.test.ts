import { expect, test } from "bun:test";
import { openConsoleApp } from "../../support/console.ts";
import { seedCampaign } from "../../support/console-campaign-samples.ts";

const markup = `"><script>alert(1)</script>`;

test("the threats of a campaign are reported, assigned, decided and restored together", async () => {
  const opened = openConsoleApp({ config: `[[protected_domains]]\ndomain = "example-bank.com"` });
  try {
    const { app } = opened;
    const { campaign, campaignThreat } = await seedCampaign(app, markup);
    const visitor = await opened.signedIn();
    const path = `/console/campaigns/${campaign}`;
    const statuses = () =>
      app.campaigns
        .threats(app.campaigns.get(campaign)!, { limit: 99, offset: 0 })
        .map(({ status }) => status);

    const { html } = await visitor.get(path);
    expect(html).not.toContain(markup);
    expect(html).toContain("Shares address, numbered name, name servers, registration");
    // Nothing is selected before the analyst has seen what joins each threat.
    expect(html).not.toMatch(/name="id"[^>]*checked/);
    // All are active, so that they cannot be reactivated.
    expect([...html.matchAll(/name="status" value="(\w+)"/g)].map(([, status]) => status)).toEqual([
      "resolved",
      "false_positive",
    ]);
    const ids = [...html.matchAll(/type="checkbox" name="id" value="([^"]+)"/g)].map(([, id]) => id!);
    expect(ids).toHaveLength(14);
    app.database.sqlite.run("update threats set site_state = 'up' where id = ?", [ids[0]!]);
    expect((await visitor.get(path)).html).toContain('title="A page is up at the name."');
    const [, report = ""] = /href="(\/console\/takedowns\/new\?[^"]+)"/.exec(html)!;
    expect(report.match(/threat=/g)).toHaveLength(14);
    const draft = await visitor.get(report.replaceAll("&amp;", "&"));
    expect(draft.html).toContain("example-bank-login23.net");
    const [, table = ""] = /href="(\/console\/takedowns\/files\/sites\.csv[^"]*)"/.exec(draft.html)!;
    const sites = (await visitor.get(table.replaceAll("&amp;", "&"))).html;
    const [header, ...lines] = sites.trimEnd().split("\r\n");
    expect(header).toStartWith("domain,url,ip_addresses,name_servers,http_status,");
    expect(lines.length).toBe(Number(/<h2[^>]*>(\d+) threats?</.exec(draft.html)![1]));
    expect(lines.join("\n")).toContain("example-bank-login23.net,");
    expect(sites).toContain("203.0.113.99");
    expect((await visitor.get(`/console/threats/${campaignThreat}`)).html).toContain("1 of 14 in a campaign");
    expect((await visitor.get("/console/campaigns")).html).toContain("203.0.113.99");

    expect(html).toContain("14 threats, 14 active, 0 up, 0 reported.");
    const [admin] = app.cases.assignees();
    await visitor.post(`${path}/assignee`, { id: ids, assignee: `name:${admin!.name}` });
    expect(ids.map((id) => app.cases.of(id)?.assignee?.name)).toEqual(ids.map(() => admin!.name));
    await visitor.post(`${path}/assignee`, { id: ids, assignee: "name:nobody-here" });
    expect(app.cases.of(ids[0]!)?.assignee?.name).toBe(admin!.name);

    const seen = /name="seen" value="(\d+)"/.exec(html)![1]!;
    await visitor.post("/console/threats/triage", { id: ids, status: "resolved", back: path, seen });
    expect(new Set(statuses())).toEqual(new Set(["resolved"]));
    await visitor.post("/console/threats/undo", { act: "latest", back: path });
    expect(new Set(statuses())).toEqual(new Set(["active"]));

    expect((await visitor.get("/console/campaigns/999999")).html).toContain(
      "There is no campaign with this number",
    );
    expect((await visitor.get("/console/campaigns/x")).html).toContain(
      "There is no campaign with this number",
    );
  } finally {
    await opened.dispose();
  }
});
