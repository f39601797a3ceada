/**
 * Two rounds of forty questions as people asked them in public threads, in the words they would type into a search
 * box. Questions and pages of each round were written down before its first run. The first run of the first round found
 * 24; descriptions in the words of readers and the weight of a description followed from it. That of the second found
 * 32.
 */

/**
 * A question, the public thread in which it was asked, and the pages that answer it, named from their text before the
 * first run. Four had none then, and have a page since.
 */
type Asked = readonly [question: string, thread: string, pages: string];

export const first: readonly Asked[] = [
  ['embed beehiiv form react without iframe', 'palimkarakshay/lumivara-site#31', 'website/frameworks'],
  ['signup form looks different from my site', 'ubyssey/ubyssey.ca#1641', 'website/styling'],
  ['newsletter popup', 'ubyssey/ubyssey.ca#1447', 'website/dialog'],
  ['change subscribe button text', 'OuiShare/OuiShare#11', 'website/texts'],
  ['unrecognized node type', 'n8n-io/n8n#14743', 'n8n/usage'],
  ['community nodes gone after docker redeploy', 'n8n-io/n8n#5501', 'n8n/usage'],
  ['queue mode workers community nodes', 'n8n-io/n8n#25700', 'n8n/usage'],
  ['polling trigger duplicate executions', 'n8n-io/n8n#35251', 'n8n/newsletter-trigger'],
  ['trigger active but never executes', 'n8n-io/n8n#33327', 'troubleshooting n8n/newsletter-trigger'],
  ['honeypot against bots', 'fossasia/fossasia.org#284', 'relay/protection'],
  ['list bombing random emails subscribed', 'knadh/listmonk#308', 'relay/protection'],
  ['recaptcha on signup form', 'JacobBennett/SendyPHP#29', 'relay/protection'],
  ['resend confirmation when subscribing again', 'mozmeao/basket#1178', 'relay/double-opt-in'],
  ['not receiving confirmation email', 'ibericode/mailchimp-for-wordpress#346', 'relay/double-opt-in troubleshooting'],
  [
    'mail scanner clicks confirmation link',
    'openresearchcalendar/openresearchcalendar.github.io#117',
    'relay/double-opt-in security',
  ],
  ['import csv keep unsubscribed status', 'Mailtrain-org/mailtrain#325', 'cli/import-export'],
  ['undo import', 'knadh/listmonk#2008', 'cli/import-export'],
  ['adblock hides newsletter form', 'ryanbr/fanboy-adblock#894', 'website/files'],
  ['content security policy form-action error', 'mozilla/testpilot#1891', 'website/csp'],
  ['two way sync opt out crm', 'PostHog/posthog#9838', 'start/crm concepts/sync'],
  [
    'sync sets contacts to unsubscribed',
    'veda-consulting-company/uk.co.vedaconsulting.mailchimp#278',
    'concepts/sync concepts/consent',
  ],
  ['keep first touch utm parameters', 'gobii-ai/gobii-platform#108', 'website/attribution'],
  ['reverse proxy all visitors same ip 429', 'superseriousbusiness/gotosocial#1125', 'relay/settings troubleshooting'],
  ['gdpr delete subscriber everywhere', 'ibericode/mailchimp-user-sync#103', 'privacy'],
  ['export personal data of one person', 'forem/forem#235', 'about/privacy-pack privacy'],
  ['style shadow dom from my stylesheet', 'bitovi/react-to-web-component#11', 'website/styling'],
  ['next.js hydration error custom element', 'vercel/next.js#56867', 'website/frameworks'],
  ['property does not exist JSX.IntrinsicElements', 'vercel/next.js#76515', 'website/frameworks'],
  ['gmail dots plus address duplicate', 'knadh/listmonk#1294', 'relay/protection'],
  ['block disposable email addresses', 'decidim/decidim#2305', 'relay/protection'],
  ['import 429 too many requests', 'Bubka/2FAuth#489', 'concepts/pacing'],
  ['show popup only once per visitor', 'vtex-apps/store-discussion#255', 'website/dialog'],
  ['notify slack new subscriber', 'knadh/listmonk#1071', 'n8n/workflows relay/webhooks'],
  ['webhook when subscription confirmed', 'knadh/listmonk#2828', 'relay/webhooks'],
  ['sqlite data lost after docker update', 'shlinkio/shlink#1243', 'relay/install operate/upgrade'],
  ['mock api simulate rate limiting', 'dotnet/dev-proxy#350', 'sandbox/faults'],
  ['ga4 event newsletter signup', 'MozillaFoundation/foundation.mozilla.org#8956', 'website/analytics'],
  [
    'custom fields empty after adding subscriber',
    'campaignmonitor/createsend-ruby#4',
    'troubleshooting website/custom-fields',
  ],
  ['reactivate unsubscribed subscriber api', 'PostHog/posthog#101541', 'concepts/consent'],
  ['beehiiv tags posts api', 'andrewyng/context-hub#304', 'cli/api'],
];

/** The titles of threads, of subjects that the first round did not search for. */
export const second: readonly Asked[] = [
  ['allow embedding subscription form on any other site', 'Automattic/jetpack#38474', 'website/tag start/website'],
  ['embed newsletter signup form in homepage', 'farmOS/farmOS.org#61', 'start/website website/tag'],
  ['send subscription data to make.com webhook', 'irdsol/sitecopilot#25', 'relay/webhooks'],
  ['create newsletter signup page', 'WesternFriend/westernfriend.org#539', 'relay/hosted-form'],
  ['webhook signature algorithm', 's0s0physm/Interview-Practice#12', 'relay/webhooks'],
  ['webhook retry backoff signing secret', 'GEMISIS/leviath#39', 'relay/webhooks'],
  ['sign webhook requests with HMAC', 'timescale/rsigma#266', 'relay/webhooks'],
  ['failed deliveries recorded for later replay', 'Pulsefy/Soter#599', 'relay/delivery relay/commands'],
  ['pagination getting all subscribers', 'mailjet/mailjet-apiv3-nodejs#291', 'client/pagination'],
  ['1000 limit for API responses', 'campaignmonitor/createsend-ruby#45', 'client/pagination'],
  ['find subscriber by email address', 'Kit/ConvertKitSDK-PHP#21', 'reference/operations n8n/newsletter'],
  ['upgrade procedure for self-hosted docker', 'healthchecks/healthchecks#1178', 'operate/upgrade relay/install'],
  ['monitoring and alerting for self hosting', 'medic/cht-core#8114', 'operate/monitoring'],
  ['health check endpoint', 'appsmithorg/appsmith-docs#2816', 'operate/monitoring'],
  ['error messages do not read out to screen readers', 'AIGAdc/dcdesignweek.org#423', 'about/accessibility'],
  [
    'newsletter form validation errors are not announced',
    'PublicisSapient/accessible-ecommerce-demo#41',
    'about/accessibility',
  ],
  ['import subscriber ignores custom fields', 'campaignmonitor/createsend-php#59', 'cli/import-export client/import'],
  ['add subscription with custom fields using API', 'Mailtrain-org/mailtrain#847', 'cli/api reference/operations'],
  ['form custom fields', 'mailpoet/mailpoet#296', 'website/custom-fields'],
  ['n8n community node not working', 'oriondesign2015/n8n-nodes-evolution-api#17', 'n8n/usage'],
  ['install community node does not appear', 'n8n-io/n8n#18161', 'n8n/usage'],
  ['form trigger does not work on queue mode', 'community-charts/helm-charts#147', 'n8n/signup-trigger n8n/usage'],
  ['adding captcha in subscription form', 'Status-Page/Status-Page#479', 'relay/protection'],
  ['send double opt-in email confirmation automatically', 'knadh/listmonk#2276', 'relay/double-opt-in'],
  ['import replace duplicates resets subscription status', 'pentacent/keila#259', 'cli/import-export'],
  ['support importing unsubscribed contacts', 'putyourlightson/craft-campaign#384', 'cli/import-export'],
  ['upload email address suppression list', 'putyourlightson/craft-campaign#277', 'relay/commands'],
  ['newsletter signup error with tracker-blocking browsers', 'tinacms/tina.io#72', 'website/files'],
  ['cannot subscribe to newsletter due to CSP error', 'supabase-community/launchweek.dev#179', 'website/csp'],
  ['hubspot integration', 'n8n-io/Community-Contributions#52', 'n8n/workflows start/crm'],
  [
    'prevent unsubscribing contacts during sync',
    'veda-consulting-company/uk.co.vedaconsulting.mailchimp#341',
    'concepts/sync',
  ],
  ['track UTM parameters in forms', 'Simplero/Roadmap#235', 'website/attribution'],
  ['rate limiting broken due to wrong ip detected', 'truenas/apps#3103', 'relay/settings relay/protection'],
  ['how to submit a GDPR deletion request', 'PipedreamHQ/pipedream#1742', 'privacy'],
  ['exit modal for newsletter signup', 'cubecart/v6#2369', 'website/dialog'],
  ['discord webhook new subscribers', 'polarsource/polar#3005', 'relay/webhooks n8n/workflows'],
  ['documentation on backup and restore docker', 'bayang/jelu#279', 'operate/backup'],
  ['a way to set test mode', 'delighted/delighted-node#15', 'sandbox/first-steps'],
  ['translate the subscription button', 'etalab/transport-site#266', 'website/texts'],
  ['how to configure consent mode', 'nuxt-community/gtm-module#172', 'website/attribution'],
];
