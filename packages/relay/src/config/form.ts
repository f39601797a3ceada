/** The settings of a form. */
import type { SubscriptionRequest } from '@newsletter-kit/core';
import { subscriptionRequest } from '@newsletter-kit/core/schema';
import type { attributionFields } from '@newsletter-kit/core/signup';
import * as z from 'zod';
import { type Theme, withoutLinks } from '../pages/page.ts';
import themes from '../pages/themes.json' with { type: 'json' };
import { languages } from '../pages/words.ts';
import { group, optionalGroup, setting, type ValueOf } from './setting.ts';
import {
  asSet,
  flag,
  language,
  list,
  numberFrom,
  oneLine,
  oneOf,
  origin,
  orNull,
  pageField,
  sender,
  template,
  webAddress,
} from './values.ts';

const request = subscriptionRequest.shape;

/** Names of a SubscriptionRequest that only the operator may set: all but those of the page. */
type PinnedField = Exclude<keyof SubscriptionRequest, 'email' | 'custom_fields' | (typeof attributionFields)[number]>;

/** The setting of such a name. @param words - which values there are, for the reference */
const pinned = <Value>(field: PinnedField, schema: z.ZodType<Value>, words = '') =>
  setting(`RELAY_${field.toUpperCase()}`, schema, `Pins \`${field}\`${words}`);

export const formSettings = group({
  /** Delivers its signups; a secret. */
  apiKey: setting(
    'NEWSLETTER_API_KEY',
    z
      .string('is missing: set it to an API key that may create subscriptions')
      .regex(/^[\x21-\x7e]+$/, 'must be the bare key: no spaces, no line breaks, no quotes around it'),
    'API key that may create subscriptions. It stays in this process',
  ),
  publicationId: setting(
    'NEWSLETTER_PUBLICATION_ID',
    z
      .string('is missing: set it to the id of the publication, pub_ and a UUID')
      .regex(/^pub_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'must be pub_ and a UUID, as the API gives it'),
    'Publication that people sign up to',
  ),
  /** In the spelling of browsers. */
  origins: setting(
    'RELAY_ALLOWED_ORIGINS',
    list(origin)
      .refine((origins) => origins.length > 0, 'must name at least one site, for example https://example.com')
      .transform(asSet)
      .prefault(''),
    'Sites whose pages may sign people up, with commas between them: `https://example.com,https://www.example.com`',
  ),
  /** Null accepts all; the API drops those that the publication lacks. */
  allowedFields: setting(
    'RELAY_ALLOWED_FIELDS',
    orNull(list(z.string()).transform(asSet)),
    'Names of the custom fields a page may set, with commas between them. Unset: all',
  ),
  thanksUrl: setting(
    'RELAY_THANKS_URL',
    orNull(webAddress),
    'Page for visitors without JavaScript after they signed up. Unset: a page of the relay',
  ),
  protection: group({
    token: setting(
      'RELAY_FORM_TOKEN',
      flag.prefault('false'),
      '`true`: a signup needs a signed token that is at least two seconds old; the relay issues it on request',
    ),
    proof: setting(
      'RELAY_PROOF',
      oneOf('off', 'always', 'attack').prefault('off'),
      'When a signup needs a proof of work, or a Turnstile response: `off`, `always`, or `attack`: during one, and beyond half the mails of an hour',
    ),
    turnstile: optionalGroup({
      siteKey: setting(
        'RELAY_TURNSTILE_SITE_KEY',
        z.string(),
        'Site key of Turnstile; with it and the secret, Turnstile replaces the proof of work',
      ),
      secret: setting('RELAY_TURNSTILE_SECRET', z.string(), 'Secret of Turnstile. It stays in this process'),
    }),
    mx: setting(
      'RELAY_MX_CHECK',
      oneOf('off', 'review', 'refuse').prefault('off'),
      'Check of the address’s mail domain in DNS: where it receives no mail, the signup is kept for `review`, or `refuse`d',
    ),
  }),
  consent: group({
    required: setting(
      'RELAY_CONSENT_REQUIRED',
      flag.prefault('false'),
      '`true`: a signup without consent is refused, with 400 and the code `CONSENT_REQUIRED`. Needs the sentence of the form',
    ),
    /** That of its page is one of them. */
    sentences: setting(
      'RELAY_CONSENT_SENTENCES',
      list(z.string().max(2000, 'has a sentence of more than 2000 characters'), /[|\n]/).prefault(''),
      'Sentences beside the box of the form, as it shows them, with `|` between them; that of `RELAY_PAGE_CONSENT` is one of them. `consent` is a yes, a no, or one of these: any other text is refused, with 400 and the code `CONSENT_UNKNOWN`. Let earlier ones stay. Unset: a text counts as no consent, and the ledger notes it as unclear',
    ),
    version: setting(
      'RELAY_CONSENT_VERSION',
      orNull(z.string().max(200, 'must be 200 characters or fewer')),
      'Your name for the version of the consent sentence or of the privacy policy; kept with each consent',
    ),
    address: setting(
      'RELAY_CONSENT_ADDRESS',
      oneOf('shortened', 'hashed', 'none').prefault('shortened'),
      'The visitor’s address in the consent ledger: `shortened` to a /24 (IPv4) or /48 (IPv6), `hashed` with a secret of the relay, or `none`',
    ),
    field: setting(
      'RELAY_CONSENT_FIELD',
      orNull(z.string()),
      'Name of the custom field in which the API gets the sentence, or `yes` where the page sent none',
    ),
  }),
  /** Null where signups are delivered without a confirmation. */
  confirmation: optionalGroup(
    {
      from: setting(
        'RELAY_MAIL_FROM',
        sender,
        'Sender of that mail: `news@example.com`, or `Example News <news@example.com>`',
      ),
      subject: setting(
        'RELAY_CONFIRMATION_SUBJECT',
        oneLine(200)
          .pipe(template)
          .refine((text) => !/\{(?:link|not_me)\}/.test(text), 'must be a subject without {link} and {not_me}')
          .optional(),
        'Subject of that mail. Unset: in the language of the pages, with the title',
      ),
      text: setting(
        'RELAY_CONFIRMATION_TEXT',
        orNull(
          template.refine(
            (text) => text.includes('{link}') && text.includes('{not_me}'),
            'must contain {link}, which is replaced by the link, and {not_me}, by the one for people who did not sign up',
          ),
        ),
        'Your own text of that mail; `{link}` becomes its button, `{not_me}` the link for people who did not sign up; `{title}`, `{email}`, `{site}` and `{date}` are replaced. Unset: in the language of the pages',
      ),
      confirmedUrl: setting(
        'RELAY_CONFIRMED_URL',
        orNull(webAddress),
        'Page shown after a confirmation. Unset: a page of the relay',
      ),
      reactivates: setting(
        'RELAY_REACTIVATE_CONFIRMED',
        flag.prefault('false'),
        '`true`: a click in that mail brings back a person who had left before it. Unset: they stay out, and the page says so',
      ),
      mailsPerHour: setting(
        'RELAY_CONFIRMATION_MAILS_PER_HOUR',
        numberFrom(1, 1_000_000).prefault('1000'),
        'Confirmation mails of the form in an hour; those above it are sent in later hours, and an alert says so',
      ),
    },
    setting(
      'RELAY_CONFIRMATION',
      flag.prefault('false'),
      '`true`: a signup is delivered only after the person has clicked a link in a mail that the relay sends',
    ),
  ),
  /** What every page and mail of the form has from its site. */
  site: group({
    title: setting(
      'RELAY_PAGE_TITLE',
      oneLine(200).optional(),
      'Name of the newsletter, on every page and mail for visitors; heading of the hosted form. Unset: the name of the form; for the one without a name, Newsletter',
    ),
    lang: setting(
      'RELAY_PAGE_LANG',
      language.prefault('en'),
      `Language of these pages and mails, as a BCP 47 tag: ${languages.map((tag) => `\`${tag}\``).join(', ')}. Any other has English words beside your own`,
    ),
    theme: setting(
      'RELAY_PAGE_THEME',
      orNull(oneOf(...(Object.keys(themes) as Theme[]))),
      `Theme of these pages: ${Object.keys(themes)
        .map((name) => `\`${name}\``)
        .join(', ')}. Unset: plain`,
    ),
    accent: setting(
      'RELAY_PAGE_ACCENT',
      orNull(z.string().regex(/^#[\da-f]{6}$/i, 'must be a colour of six hexadecimal digits, such as #0b6e61')),
      'Colour of their buttons, such as `#0b6e61`. Unset: that of the theme',
    ),
    homeUrl: setting(
      'RELAY_PAGE_HOME_URL',
      orNull(webAddress),
      'Where these pages link back to. Unset: the first of `RELAY_ALLOWED_ORIGINS`',
    ),
    privacyUrl: setting('RELAY_PAGE_PRIVACY_URL', orNull(webAddress), 'Privacy notice, linked below these pages'),
    imprintUrl: setting('RELAY_PAGE_IMPRINT_URL', orNull(webAddress), 'Imprint, linked below these pages'),
  }),
  /** Null where `GET /signup` has no page. */
  page: optionalGroup(
    {
      text: setting(
        'RELAY_PAGE_TEXT',
        orNull(z.string().max(2000, 'must be 2000 characters or fewer')),
        'Text below its heading; a link is written `[our archive](https://example.com/archive)`',
      ),
      label: setting(
        'RELAY_PAGE_LABEL',
        oneLine(100).optional(),
        'Label of its field for the address. Unset: in the language of the page',
      ),
      fields: setting(
        'RELAY_PAGE_FIELDS',
        list(pageField)
          .refine((fields) => new Set(fields.map(({ name }) => name)).size === fields.length, 'has a field twice')
          .prefault(''),
        'Custom fields it asks for, with commas between them; one with choices as `Topics=boats|food|history`, one that browsers may fill in with its value of `autocomplete` in HTML, as `First Name:given-name`',
      ),
      consent: setting(
        'RELAY_PAGE_CONSENT',
        orNull(oneLine(500)),
        'Sentence beside a box to tick; kept with the signup. A link is written `[privacy notice](https://example.com/privacy)`. Unset: no box',
      ),
      button: setting(
        'RELAY_PAGE_BUTTON',
        oneLine(60).optional(),
        'Label of its button. Unset: in the language of the page',
      ),
    },
    setting(
      'RELAY_PAGE',
      flag.prefault('false'),
      '`true`: `GET /signup` is a page with the form, to link to from anywhere; the sites of `RELAY_ALLOWED_ORIGINS` may show it in a frame',
    ),
  ),
  pinned: group({
    double_opt_override: pinned(
      'double_opt_override',
      z.string().pipe(request.double_opt_override.def.innerType).optional(),
      ': `on`, `off` or `not_set`. `on` is recommended; with `RELAY_CONFIRMATION` leave it unset',
    ),
    send_welcome_email: pinned('send_welcome_email', flag.optional(), ': `true` or `false`'),
    reactivate_existing: pinned(
      'reactivate_existing',
      flag.optional(),
      ', `true` or `false`: whether to reactivate a subscription that has unsubscribed. Use it only when the subscriber knowingly subscribes again, so for a form that says so',
    ),
    tier: pinned('tier', z.string().pipe(request.tier.def.innerType).optional(), ': `free` or `premium`'),
    premium_tiers: pinned('premium_tiers', list(z.string()).optional(), ', names with commas between them'),
    premium_tier_ids: pinned('premium_tier_ids', list(request.premium_tier_ids.def.innerType.def.element).optional()),
    automation_ids: pinned('automation_ids', list(request.automation_ids.def.innerType.def.element).optional()),
    newsletter_list_ids: pinned(
      'newsletter_list_ids',
      list(request.newsletter_list_ids.def.innerType.def.element).optional(),
    ),
    skip_newsletter_list_auto_subscribe: pinned(
      'skip_newsletter_list_auto_subscribe',
      flag.optional(),
      ': `true` or `false`',
    ),
    complimentary_gift_id: pinned('complimentary_gift_id', z.optional(request.complimentary_gift_id.def.innerType)),
  } satisfies Partial<Record<PinnedField, unknown>>),
});

/** A form and its rules. */
export interface Form extends ValueOf<typeof formSettings> {
  readonly name: string;
  readonly site: ValueOf<typeof formSettings>['site'] & { readonly title: string };
}

/** A form that asks for confirmation by mail. */
export type ConfirmingForm = Form & { readonly confirmation: NonNullable<Form['confirmation']> };

export const confirmingForms = (forms: Readonly<Record<string, Form>>): readonly ConfirmingForm[] =>
  Object.values(forms).filter((form): form is ConfirmingForm => form.confirmation !== null);

/** A form with these settings. */
export function formOf(name: string, settings: ValueOf<typeof formSettings>): Form {
  const { consent, page, site } = settings;
  const sentences = [...consent.sentences, page?.consent == null ? [] : withoutLinks(page.consent)].flat();
  const { title = name === 'default' ? 'Newsletter' : name } = site;
  return { name, ...settings, site: { ...site, title }, consent: { ...consent, sentences } };
}

/** What keeps a form or its page from working. */
export function formProblems({ name, page, allowedFields, consent, protection }: Form): readonly string[] {
  if (page === null)
    return consent.required && consent.sentences.length === 0
      ? [
          `RELAY_CONSENT_REQUIRED needs RELAY_CONSENT_SENTENCES beside it: paste the sentence beside the box of the form "${name}". The tag sends the label of its consent field; any other form sends the value of its box.`,
        ]
      : [];
  const refused = page.fields.filter(({ name }) => allowedFields?.has(name) === false).map(({ name }) => `"${name}"`);
  return [
    ...(refused.length > 0 ? [`RELAY_PAGE_FIELDS has ${refused.join(', ')}, which RELAY_ALLOWED_FIELDS lacks.`] : []),
    ...(consent.required && page.consent === null
      ? ['RELAY_CONSENT_REQUIRED needs RELAY_PAGE_CONSENT beside it: without it the page could sign up nobody.']
      : []),
    ...(protection.proof === 'always'
      ? ['RELAY_PROOF must not be always with RELAY_PAGE: the page has no script that could prove anything.']
      : []),
  ];
}

/** Whether whoever signs up gets a mail to confirm: from the relay, or from the API. */
export const mailsOfForm = ({ confirmation, pinned }: Form): boolean =>
  confirmation !== null || pinned.double_opt_override === 'on';

/** Whether the form signs or hashes values that must stay valid after a restart or in another relay. */
export function isSigning({ protection, confirmation, consent }: Form): boolean {
  return protection.token || protection.proof !== 'off' || confirmation !== null || consent.address === 'hashed';
}
