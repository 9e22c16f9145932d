/** Abuse desks of networks and registrars that have a form. The rows that name no page of the desk come from abuse_whois (MIT). */
export interface AbuseDesk {
  name: string;
  /** Domains of the email addresses by which registration data names the desk. */
  emailDomains: readonly string[];
  /** Absent if no stable form is known. */
  formUrl?: string;
  /** False if the desk says that it does not process emails. */
  readsEmail: boolean;
  /** Whether the network passes traffic on for sites that are hosted elsewhere. */
  isContentNetwork: boolean;
  /** Page that states this. */
  source: string;
  example: string;
}

const abuseWhois = "https://github.com/ninoseki/abuse_whois";
const host = { readsEmail: true, isContentNetwork: false } as const;

export const abuseDesks: readonly AbuseDesk[] = [
  {
    name: "Cloudflare",
    emailDomains: ["cloudflare.com"],
    formUrl: "https://www.cloudflare.com/abuse/form",
    readsEmail: false,
    isContentNetwork: true,
    source: "https://www.cloudflare.com/trust-hub/reporting-abuse/",
    example: "abuse@cloudflare.com",
  },
  {
    name: "Fastly",
    emailDomains: ["fastly.com"],
    readsEmail: true,
    isContentNetwork: true,
    source: "https://www.fastly.com/",
    example: "abuse@fastly.com",
  },
  {
    name: "Akamai",
    emailDomains: ["akamai.com"],
    readsEmail: true,
    isContentNetwork: true,
    source: "https://www.akamai.com/",
    example: "abuse@akamai.com",
  },
  {
    name: "Amazon Web Services",
    emailDomains: ["amazonaws.com", "support.aws.com"],
    formUrl: "https://support.aws.amazon.com/#/contacts/report-abuse",
    ...host,
    source: "https://repost.aws/knowledge-center/report-aws-abuse",
    example: "trustandsafety@support.aws.com",
  },
  {
    name: "Microsoft",
    emailDomains: ["microsoft.com"],
    formUrl: "https://msrc.microsoft.com/report/abuse",
    ...host,
    source: "https://msrc.microsoft.com/report/abuse",
    example: "abuse@microsoft.com",
  },
  {
    name: "Google Cloud",
    emailDomains: ["google.com"],
    formUrl: "https://support.google.com/code/contact/cloud_platform_report",
    ...host,
    source: abuseWhois,
    example: "google-cloud-compliance@google.com",
  },
  {
    name: "DigitalOcean",
    emailDomains: ["digitalocean.com"],
    formUrl: "https://www.digitalocean.com/company/contact/#abuse",
    ...host,
    source: abuseWhois,
    example: "abuse@digitalocean.com",
  },
  {
    name: "Alibaba Cloud",
    emailDomains: ["alibabacloud.com", "service.aliyun.com"],
    formUrl: "https://www.alibabacloud.com/report#abuse",
    ...host,
    source: abuseWhois,
    example: "domainabuse@service.aliyun.com",
  },
  {
    name: "Hetzner",
    emailDomains: ["hetzner.com", "hetzner.de"],
    formUrl: "https://abuse.hetzner.com/",
    ...host,
    source: "https://abuse.hetzner.com/",
    example: "abuse@hetzner.com",
  },
  {
    name: "OVHcloud",
    emailDomains: ["ovh.net"],
    formUrl: "https://www.ovh.com/abuse/",
    ...host,
    source: "https://www.ovh.com/abuse/",
    example: "abuse@ovh.net",
  },
  {
    name: "GoDaddy",
    emailDomains: ["godaddy.com"],
    formUrl: "https://supportcenter.godaddy.com/AbuseReport",
    ...host,
    source: abuseWhois,
    example: "abuse@godaddy.com",
  },
  {
    name: "NameSilo",
    emailDomains: ["namesilo.com"],
    formUrl: "https://www.namesilo.com/report_abuse.php",
    ...host,
    source: abuseWhois,
    example: "abuse@namesilo.com",
  },
  {
    name: "Dynadot",
    emailDomains: ["dynadot.com"],
    formUrl: "https://www.dynadot.com/report_abuse.html",
    ...host,
    source: abuseWhois,
    example: "abuse@dynadot.com",
  },
  {
    name: "Name.com",
    emailDomains: ["name.com"],
    formUrl: "https://www.name.com/abuse",
    ...host,
    source: abuseWhois,
    example: "abuse@name.com",
  },
  {
    name: "Tucows",
    emailDomains: ["tucows.com"],
    formUrl: "https://tucowsdomains.com/report-abuse/",
    ...host,
    source: abuseWhois,
    example: "domainabuse@tucows.com",
  },
  {
    name: "PublicDomainRegistry",
    emailDomains: ["publicdomainregistry.com"],
    formUrl: "https://publicdomainregistry.com/process-for-handling-abuse/",
    ...host,
    source: abuseWhois,
    example: "abuse-contact@publicdomainregistry.com",
  },
  {
    name: "Registrar.eu",
    emailDomains: ["registrar.eu"],
    formUrl: "https://abuse.registrar.eu",
    ...host,
    source: abuseWhois,
    example: "abuse@registrar.eu",
  },
];

/** Returns the desk that an address belongs to. */
export function deskOf(email: string): AbuseDesk | undefined {
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  return abuseDesks.find(({ emailDomains }) => emailDomains.includes(domain));
}
