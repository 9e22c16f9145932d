import type { Database } from "../../database/database.ts";
import { createCampaigns, type Campaigns } from "./campaigns.ts";

export function openCampaigns({ database }: { database: Database }): Campaigns {
  return createCampaigns(database);
}
