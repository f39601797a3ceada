/**
 * Forty questions as people asked them in public forums, in the words they would type into a search box. They were
 * written down before anyone looked at what the search finds.
 */

/**
 * A question, the public thread in which it was asked, and the pages that answer it, named from their text before the
 * first run; none where no page does.
 */
export const asked: readonly (readonly [question: string, thread: string, pages: string])[] = [
  ['embed beehiiv form react without iframe', 'palimkarakshay/lumivara-site#31', 'website/frameworks'],
  ['signup form looks different from my site', 'ubyssey/ubyssey.ca#1641', 'website/styling'],
  ['newsletter popup', 'ubyssey/ubyssey.ca#1447', 'website/dialog'],
  ['change subscribe button text', 'OuiShare/OuiShare#11', 'website/texts'],
  ['unrecognized node type', 'n8n-io/n8n#14743', ''],
  ['community nodes gone after docker redeploy', 'n8n-io/n8n#5501', ''],
  ['queue mode workers community nodes', 'n8n-io/n8n#25700', ''],
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
  ['beehiiv tags posts api', 'andrewyng/context-hub#304', ''],
];
