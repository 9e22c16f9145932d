import { isAtOrBelow } from "../../../platform/lib/host-names.ts";

/** A service that lets anyone create names below its domains, and that can delete such a name at once. */
export interface HostedSuffix {
  name: string;
  /** Domains of the service below which it gives out names; the public suffix list has most of them. */
  domains: readonly string[];
  email?: string;
  formUrl?: string;
  /** Page that states the contact. */
  source: string;
  example: string;
}

const abuseWhois = "https://github.com/ninoseki/abuse_whois";
const cloudflareForm = "https://www.cloudflare.com/abuse/form";
const googleCloudForm = "https://support.google.com/code/contact/cloud_platform_report";
const microsoftForm = "https://msrc.microsoft.com/report/abuse";

export const hostedSuffixes: readonly HostedSuffix[] = [
  {
    name: "GitHub Pages",
    domains: ["github.io"],
    formUrl: "https://support.github.com/contact/report-abuse",
    source:
      "https://docs.github.com/en/communities/maintaining-your-safety-on-github/reporting-abuse-or-spam",
    example: "login-example.github.io",
  },
  {
    name: "Firebase Hosting (Google)",
    domains: ["web.app", "firebaseapp.com"],
    email: "firebase-removals@google.com",
    formUrl: googleCloudForm,
    source: abuseWhois,
    example: "login-example.web.app",
  },
  {
    name: "Google Cloud",
    domains: ["appspot.com", "run.app"],
    formUrl: googleCloudForm,
    source: abuseWhois,
    example: "login-example.appspot.com",
  },
  {
    name: "Blogger (Google)",
    domains: ["blogspot.com"],
    formUrl: "https://support.google.com/blogger/answer/76315",
    source: abuseWhois,
    example: "login-example.blogspot.com",
  },
  {
    name: "Cloudflare Pages and Workers",
    domains: ["pages.dev", "workers.dev", "r2.dev"],
    formUrl: cloudflareForm,
    source: "https://www.cloudflare.com/trust-hub/reporting-abuse/",
    example: "login-example.pages.dev",
  },
  {
    name: "Netlify",
    domains: ["netlify.app"],
    email: "fraud@netlify.com",
    formUrl: "https://www.netlify.com/abuse/",
    source: abuseWhois,
    example: "login-example.netlify.app",
  },
  {
    name: "Vercel",
    domains: ["vercel.app", "now.sh"],
    formUrl: "https://vercel.com/abuse",
    source: "https://vercel.com/abuse",
    example: "login-example.vercel.app",
  },
  {
    name: "Microsoft Azure",
    domains: ["azurewebsites.net", "azurestaticapps.net", "core.windows.net", "cloudapp.azure.com"],
    formUrl: microsoftForm,
    source: microsoftForm,
    example: "login-example.azurewebsites.net",
  },
  {
    name: "Amazon Web Services",
    domains: [
      "amazonaws.com",
      "cloudfront.net",
      "elasticbeanstalk.com",
      "amplifyapp.com",
      "awsapprunner.com",
    ],
    email: "trustandsafety@support.aws.com",
    formUrl: "https://support.aws.amazon.com/#/contacts/report-abuse",
    source: "https://repost.aws/knowledge-center/report-aws-abuse",
    example: "login-example.s3.amazonaws.com",
  },
  {
    name: "Backblaze",
    domains: ["backblazeb2.com"],
    email: "reportphishing@backblaze.com",
    source: abuseWhois,
    example: "login-example.backblazeb2.com",
  },
  {
    name: "WordPress.com",
    domains: ["wordpress.com"],
    formUrl: "https://wordpress.com/abuse/",
    source: abuseWhois,
    example: "login-example.wordpress.com",
  },
  {
    name: "Weebly",
    domains: ["weebly.com", "weeblysite.com"],
    formUrl: "https://www.weebly.com/uk/spam",
    source: abuseWhois,
    example: "login-example.weebly.com",
  },
  {
    name: "Square",
    domains: ["square.site"],
    email: "spoof@squareup.com",
    source: abuseWhois,
    example: "login-example.square.site",
  },
  {
    name: "GoDaddy Websites",
    domains: ["godaddysites.com"],
    formUrl: "https://supportcenter.godaddy.com/AbuseReport",
    source: abuseWhois,
    example: "login-example.godaddysites.com",
  },
  {
    name: "No-IP",
    domains: [
      "ddns.net",
      "hopto.org",
      "zapto.org",
      "sytes.net",
      "myftp.org",
      "servehttp.com",
      "onthewifi.com",
    ],
    formUrl: "https://www.noip.com/abuse",
    source: abuseWhois,
    example: "login-example.ddns.net",
  },
];

/** Returns the service that gave out a name. */
export function hostedSuffixOf(name: string): HostedSuffix | undefined {
  return hostedSuffixes.find(({ domains }) =>
    domains.some((domain) => name !== domain && isAtOrBelow(name, domain)),
  );
}
