/**
 * Sixty questions as people ask them, each with the page that answers it. `site.slow.test.ts` types each into the
 * search of the built site.
 */

/** Words for the search, the address of the page below the site, and where the question was asked. */
export type Question = readonly [asked: string, page: string, source: string];

/** Questions of people who tried this documentation in November 2026. */
const trial = 'trial of the documentation, November 2026';
const github = (thread: string): string => `https://github.com/${thread}`;

export const questions: readonly Question[] = [
  ['double opt-in', 'relay/double-opt-in', trial],
  ['why 202', 'concepts/accepted', trial],
  ['Google Sheets', 'n8n/workflows', trial],
  ['rate limit', 'concepts/pacing', trial],
  ['bot signups', 'relay/protection', trial],
  ['duplicate', 'client/import', trial],
  ['import csv excel', 'cli/import-export', trial],
  ['welcome email not sent', 'troubleshooting', trial],
  ['zapier', 'about/fit', trial],
  ['unsubscribe link', 'concepts/consent', trial],
  ['WordPress', 'places/wordpress', trial],
  ['Webflow', 'places/webflow', trial],
  ['GDPR', 'privacy', trial],
  ['utm not captured', 'website/attribution', trial],
  ['self host docker', 'relay/install', trial],
  ['beehiiv custom domain', 'services', trial],
  ['n8n cloud', 'n8n/usage', trial],
  ['A/B test', 'website/analytics', trial],
  ['Shopify', 'places/shopify', trial],
  ['how much does it cost', 'about/cost', trial],

  ['spam bots honeypot', 'relay/protection', github('knadh/listmonk/issues/541')],
  ['list bombing', 'relay/protection', github('knadh/listmonk/issues/308')],
  ['captcha newsletter signup', 'relay/protection', github('neondatabase/website/issues/84')],
  ['blocked by CORS policy', 'troubleshooting', github('buttondown/roadmap/issues/1522')],
  ["No 'Access-Control-Allow-Origin' header", 'troubleshooting', github('Mailtrain-org/mailtrain/issues/244')],
  [
    'refused to load the script Content Security Policy',
    'website/csp',
    github('revolunet/react-mailchimp-subscribe/issues/16'),
  ],
  ['ad blocker prevents subscription', 'website/files', github('revolunet/react-mailchimp-subscribe/issues/6')],
  ['form hidden by tracking protection', 'website/files', github('gbif/portal-feedback/issues/6325')],
  ['change submit button text', 'website/texts', github('EvanHerman/yikes-inc-easy-mailchimp-extender/issues/170')],
  [
    'where can I translate the submit button',
    'website/texts',
    github('EvanHerman/yikes-inc-easy-mailchimp-extender/issues/308'),
  ],
  [
    'custom CSS all fields on one line',
    'website/styling',
    github('EvanHerman/yikes-inc-easy-mailchimp-extender/issues/229'),
  ],
  ['not receiving confirmation e-mail', 'relay/double-opt-in', github('ibericode/mailchimp-for-wordpress/issues/346')],
  ['GDPR compliant?', 'privacy', github('Mailtrain-org/mailtrain/issues/347')],
  ['GDPR deletion request', 'privacy', github('codetriage/CodeTriage/issues/1767')],
  ['evidence of consent who when how', 'concepts/consent', github('cubecart/v6/issues/1892')],
  ['import preserve unsubscribed status', 'cli/import-export', github('Mailtrain-org/mailtrain/issues/325')],
  ['import subscribers already opted in', 'cli/import-export', github('knadh/listmonk/issues/168')],
  ['skip importing subscriber that already exists', 'cli/import-export', github('knadh/listmonk/issues/1883')],
  ['undo import', 'cli/import-export', github('knadh/listmonk/issues/2008')],
  [
    'how should unsubscribes be handled in CRM',
    'concepts/sync',
    github('veda-consulting-company/uk.co.vedaconsulting.mailchimp/issues/98'),
  ],
  [
    'two-way sync which one has the latest info',
    'concepts/sync',
    github('fleapower/Google-Script-Contacts-Sync/issues/6'),
  ],
  ['cannot install on n8n cloud not verified', 'n8n/usage', github('itsjustanks/n8n-nodes-attio/issues/6')],
  ['missing install button community nodes', 'n8n/usage', github('n8n-io/n8n/issues/18110')],
  ['webhook test url production url', 'n8n/signup-trigger', github('n8n-io/n8n/issues/21920')],
  ['track newsletter signups in GA', 'website/analytics', github('SSWConsulting/SSW.Website/issues/2489')],
  ['GA4 event tracking dataLayer', 'website/analytics', github('MozillaFoundation/foundation.mozilla.org/issues/8956')],
  ['utm parameters from url to hidden field', 'website/attribution', github('elementor/elementor/issues/7990')],
  ['utm_source lost on second page', 'website/attribution', github('buttondown/roadmap/issues/795')],
  ['integrate with Next.js', 'places/next', github('NEARBuilders/near-bos-webcomponent/issues/43')],
  ['exit intent popup', 'website/dialog', github('jnealey-godaddy/designsetgo/issues/48')],
  ['popup show only once', 'website/dialog', github('Techtonica/techtonica.org/issues/5')],
  ['429 too many requests', 'concepts/pacing', github('campaignmonitor/createsend-dotnet/issues/67')],
  ['screen reader accessibility', 'about/accessibility', github('ibericode/mailchimp-for-wordpress/issues/362')],
  ['how to mock the API in unit tests', 'sandbox/tests', github('ActiveCampaign/postmark.js/issues/105')],
  ['script tag stripped out', 'website/site-builders', github('alleyinteractive/ad-layers/issues/60')],
  ['embed code breaks in Wordpress', 'places/wordpress', github('NUKnightLab/soundcite/issues/83')],
  ['is the api key exposed', 'security', github('revolunet/react-mailchimp-subscribe/issues/32')],
  ['serverless function to hide api key', 'relay/worker', github('instill-ai/console/issues/109')],
  ['how to restore a backup', 'operate/backup', github('fr0tt/benotes/issues/104')],
  ['docker compose', 'relay/install', github('almarklein/timetagger/issues/190')],
];
