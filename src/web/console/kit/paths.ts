import { webhookKind } from "../../../messaging/channels/webhook/endpoint.ts";
import type { NameOrigin } from "../../../intake/sources/activity/source-activity.ts";
import { feedKind } from "../../../intake/sources/source.ts";
import { channelTypes } from "../../../platform/vocabulary/channels.ts";

/** Addresses of the console's pages. All links use these. */

export const overviewPath = "/console";
/** Fragment that refreshes the progress of the running scan. */
export const runningScanPath = `${overviewPath}/overview/scan`;
/** Setup after the first sign-in. */
export const welcomePath = `${overviewPath}/welcome`;
export const signInPath = "/console/sign-in";
/** Second step of a sign-in. */
export const signInCodePath = `${signInPath}/code`;
const invitationsPath = "/console/invitation";
/** Page of a link to choose a password with. */
export const invitationPath = (token: string) => `${invitationsPath}/${token}`;
/** Returns the token in the path of such a page. */
export const invitationTokenIn = (path: string) =>
  path.startsWith(`${invitationsPath}/`) ? path.slice(invitationsPath.length + 1) : undefined;
export const signOutPath = "/console/sign-out";
export const signOutEverywherePath = "/console/sign-out-everywhere";
/** The reader's own account. */
export const accountPath = `${overviewPath}/account`;
export const passwordPath = `${accountPath}/password`;
export const codesPath = `${accountPath}/codes`;
export const confirmCodesPath = `${codesPath}/confirm`;
export const removeCodesPath = `${codesPath}/remove`;
export const recoveryCodesPath = `${accountPath}/recovery-codes`;
export const renewRecoveryCodesPath = `${recoveryCodesPath}/renew`;
export const endOtherSessionsPath = `${accountPath}/sessions/end-others`;
export const endOwnSessionPath = (seq: number | ":seq") => `${accountPath}/sessions/${seq}/end`;
/** Theme, time zone, density, shortcuts. */
export const preferencesPath = "/console/preferences";
/** Search over everything that can be opened or done; the command bar shows its results. */
export const commandsPath = `${overviewPath}/commands`;
export const shortcutsPath = `${commandsPath}/shortcuts`;
export const assetsPath = "/console/assets";

export const threatsPath = "/console/threats";
export const triagePath = `${threatsPath}/triage`;
export const undoTriagePath = `${threatsPath}/undo`;
export const exportPath = `${threatsPath}/export`;
/** Assigns the selected threats of the list, or sets their due time. */
export const changeCasesPath = `${threatsPath}/cases`;
/** Fragment that announces threats that have arrived. */
export const newThreatsPath = `${threatsPath}/new`;
/** Decisions of the last day, with undo. */
export const decisionsPath = "/console/decisions";
export const decisionPath = (batch: number | ":batch") => `${decisionsPath}/${batch}`;
const savedViewsPath = `${threatsPath}/views`;
export const newViewPath = `${savedViewsPath}/new`;
/** Page where a saved view of the list is renamed or deleted. */
export const savedViewPath = (seq: number | ":seq") => `${savedViewsPath}/${seq}`;
/** @param view parameters of the list that the threat is opened from */
export const threatPath = (id: string, view?: URLSearchParams) => pathWith(`${threatsPath}/${id}`, view);

/** Groups of threats that belong together. */
export const campaignsPath = "/console/campaigns";
/** @param number `threats.campaign_seq` */
export const campaignPath = (number: number | ":number") => `${campaignsPath}/${number}`;
export const assignCampaignPath = (number: number | ":number") => `${campaignPath(number)}/assignee`;

/** Reports to those who can take a site down. */
export const takedownsPath = "/console/takedowns";
export const takedownStatisticsPath = `${takedownsPath}/statistics`;
export const takedownPath = (seq: number | ":seq") => `${takedownsPath}/${seq}`;
/** Form of a report about one or several threats. */
export const newTakedownPath = `${takedownsPath}/new`;
export const newReportPath = (threatIds: readonly string[], options: Record<string, string> = {}) =>
  `${newTakedownPath}?${new URLSearchParams([...threatIds.map((id) => ["threat", id]), ...Object.entries(options)])}`;

/** A file that a report of these threats would have. */
export const draftFilePath = (name: string, threatIds: readonly string[] = []) =>
  `${takedownsPath}/files/${name}${threatIds.length === 0 ? "" : `?${new URLSearchParams(threatIds.map((id) => ["threat", id]))}`}`;

/** Forms that assign a threat, and set its due time. */
export const assigneePath = (id: string) => `${threatPath(id)}/assignee`;
export const duePath = (id: string) => `${threatPath(id)}/due`;

export const domainsPath = "/console/domains";
export const newDomainPath = `${domainsPath}/new`;
export const domainPath = (domain: string) => `${domainsPath}/${encodeURIComponent(domain)}`;
export const originalsPath = (domain: string) => `${domainPath(domain)}/originals`;
export const originalVersionPath = (domain: string, version: number) =>
  `${originalsPath(domain)}/versions/${version}`;
export const logoPath = (domain: string, logo: number) => `${originalsPath(domain)}/logos/${logo}`;
export const suggestionPath = (domain: string, kind: string, value: string) =>
  `${originalsPath(domain)}/suggestions?${new URLSearchParams({ kind, value }).toString()}`;

/** Search of the archive. */
export const namesPath = "/console/names";
export const nameResultsPath = `${namesPath}/results`;

export const scansPath = "/console/scans";
export const startScanPath = `${scansPath}/start`;
export const scanPath = (id: string) => `${scansPath}/${id}`;

/** Pages that were opened and compared with the protected sites. */
export const inspectionsPath = "/console/inspections";
/** The rows of the list, which refresh while something is being inspected. */
export const inspectionRowsPath = `${inspectionsPath}/rows`;
export const inspectionExportPath = `${inspectionsPath}/export`;
export const inspectionPath = (id: string) => `${inspectionsPath}/${id}`;

export const sourcesPath = "/console/sources";
/** Page of a source, or of another origin of names. */
export const originPath = ({ kind, name }: NameOrigin) => {
  const path = `${sourcesPath}/${encodeURIComponent(kind.replaceAll(" ", "-"))}`;
  // The only source of its kind may be called like the kind.
  return kind === name ? path : `${path}/${encodeURIComponent(name)}`;
};
/** Returns the origin whose page has these parameters in its address. */
export function originIn({ kind = "", name }: Record<string, string>): NameOrigin {
  const spaced = kind.replaceAll("-", " ");
  return { kind: spaced, name: name ?? spaced };
}
export const feedPath = (name: string) => originPath({ kind: feedKind, name });
export const importsPath = "/console/imports";
export const importPath = (seq: number) => `${importsPath}/${seq}`;

/** @param name name of a kind of trap */
export const trapsPath = (name: string) => `/console/${name}s`;
export const newTrapPath = (name: string) => `${trapsPath(name)}/new`;
export const trapPath = (name: string, id: string) => `${trapsPath(name)}/${id}`;
/** Page of one visit to a trap. */
export const visitPath = (path: string, seq: number | ":seq") => `${path}/visits/${seq}`;
/** @param alias former name of the section */
export const formerTrapsPath = (alias: string) => `/console/${alias}`;

export const keysPath = "/console/settings/keys";
/** Messages to people: channels and subscriptions. */
export const notificationsPath = "/console/settings/notifications";
export const channelsPath = `${notificationsPath}/channels`;
export const newChannelPath = `${channelsPath}/add`;
export const channelPath = (id: string) => `${channelsPath}/${id}`;
export const subscriptionsPath = `${notificationsPath}/subscriptions`;
export const newSubscriptionPath = `${subscriptionsPath}/add`;
export const subscriptionPath = (id: string) => `${subscriptionsPath}/${id}`;
export const webhooksPath = "/console/settings/webhooks";
export const listsPath = "/console/settings/lists";
export const listPath = (id: string) => `${listsPath}/${id}`;
/** Log of the events for programs. */
export const deliveriesPath = `${webhooksPath}/deliveries`;
/** Log of the messages to people. */
export const messagesPath = `${notificationsPath}/messages`;
/** A channel of any kind, and an identifier of a recipient or a delivery. */
interface OfChannel {
  channel: string;
  id: string;
}
const isForPeople = (channel: string) => channelTypes.some((type) => type === channel);
const logPath = ({ channel }: Pick<OfChannel, "channel">) =>
  isForPeople(channel) ? messagesPath : deliveriesPath;
/** Deliveries to one recipient. */
export const deliveriesToPath = (recipient: OfChannel) => `${logPath(recipient)}?endpoint=${recipient.id}`;
export const deliveryPath = (delivery: OfChannel) => `${logPath(delivery)}/${delivery.id}`;
/** Returns the page of a recipient; undefined if its channel has no pages. */
export const recipientPath = ({ channel, id }: OfChannel) => {
  if (channel === webhookKind) return `${webhooksPath}/${id}`;
  return isForPeople(channel) ? channelPath(id) : undefined;
};
/** People who can sign in. */
export const usersPath = "/console/settings/users";
export const inviteUserPath = `${usersPath}/invite`;
export const userPath = (seq: number | ":seq") => `${usersPath}/${seq}`;
/** Page of a link that was just created. */
export const userLinkPath = (seq: number | ":seq") => `${userPath(seq)}/link`;
export const systemPath = "/console/settings/system";
export const backUpPath = `${systemPath}/backups`;
/** Preview of what the retention deletes. */
export const retentionPath = "/console/settings/retention";
export const auditPath = "/console/settings/audit";
export const failedSignInsPath = `${auditPath}/failed-sign-ins`;

/** Returns a path with a query, which may be empty. */
export function pathWith(path: string, query: URLSearchParams | undefined): string {
  return query === undefined || query.size === 0 ? path : `${path}?${query}`;
}
