/**
 * Exports of services in their published layouts, with made-up people: who may get mails, and who stays out. A
 * test walks them through every reader.
 */

import type { ValueMeanings } from '@newsletter-kit/core/import';

type Kind = 'left' | 'unconfirmed' | 'unclear';

/** A file as a service writes it, and the names of the people in it, in the order of the alphabet and of their rows. */
interface Export extends Readonly<Partial<Record<Kind, string>>> {
  readonly service: string;
  readonly file: string;
  readonly text: string;
  /** The answer that is asked for, where any table may look like this export. */
  readonly leftBy?: Readonly<Record<string, ValueMeanings>>;
  /** Those who may get mails. */
  readonly stays: string;
}

const mailchimp = (name: string, end: string): string =>
  `Email Address,First Name,Last Name,MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP,LATITUDE,LONGITUDE,GMTOFF,DSTOFF,TIMEZONE,CC,REGION,${end},LEID,EUID,NOTES${name}\n`;
const signup = '2,2024-01-02 15:04:05,192.0.2.1,2024-01-02 15:05:00,192.0.2.1,50.7,7.1,1,2,Europe/Berlin,de,nw';

/** What Kit's words mean; its `inactive` never confirmed, and who is `cold` reads no mails and gets them. */
const kit: ValueMeanings = {
  active: 'subscribed',
  cold: 'subscribed',
  inactive: 'unconfirmed',
  cancelled: 'left',
  bounced: 'left',
  complained: 'left',
};

const exports: readonly Export[] = [
  {
    service: 'Mailchimp',
    file: 'subscribed_members_export_4711.csv',
    text: `${mailchimp(',TAGS', 'LAST_CHANGED')}ada@example.com,Ada,Byron,${signup},2026-01-02 15:04:05,1,e1,,"""a"",""b"""\nbo@example.com,Bo,,2,,,,,,,,,,,,2026-01-02 15:04:05,2,e2,,\n`,
    stays: 'ada',
    left: 'bo',
  },
  {
    service: 'Mailchimp',
    file: 'people.csv',
    text: `${mailchimp(',TAGS', 'UNSUB_TIME,UNSUB_CAMPAIGN_TITLE,UNSUB_CAMPAIGN_ID,UNSUB_REASON,UNSUB_REASON_OTHER')}ada@example.com,Ada,Byron,${signup},2026-01-02 15:04:05,Spring,c1,NORMAL,,1,e1,,\nbo@example.com,Bo,,${signup},2030-01-02 15:04:05,,,,,2,e2,,\n`,
    stays: '',
    left: 'ada bo',
  },
  {
    service: 'Mailchimp',
    file: 'people.csv',
    text: `${mailchimp('', 'CLEAN_TIME,CLEAN_CAMPAIGN_TITLE,CLEAN_CAMPAIGN_ID')}ada@example.com,Ada,Byron,${signup},2026-01-02 15:04:05,Spring,c1,1,e1,\n`,
    stays: '',
    left: 'ada',
  },
  {
    service: 'Mailchimp',
    file: 'nonsubscribed_members_export_4711.csv',
    text: `${mailchimp('', 'LAST_CHANGED')}ada@example.com,Ada,Byron,${signup},2026-01-02 15:04:05,1,e1,\n`,
    stays: '',
    left: 'ada',
  },
  {
    service: 'Substack',
    file: 'email_list.example.csv',
    text: 'email,active_subscription,expiry,email_disabled,prefer_digests,created_at\nada@example.com,false,,false,false,2024-01-02T15:04:05.000Z\nbo@example.com,true,2027-01-01T00:00:00.000Z,true,false,2024-01-02T15:04:05.000Z\n',
    stays: 'ada',
    left: 'bo',
  },
  {
    service: 'Substack',
    file: 'email_list.example.csv',
    text: 'email,active_subscription,expiry,plan,email_disabled,created_at,first_payment_at\nada@example.com,true,,yearly,false,2024-01-02T15:04:05.000Z,\nbo@example.com,false,,other,true,2024-01-02T15:04:05.000Z,\n',
    stays: 'ada',
    left: 'bo',
  },
  {
    service: 'Ghost',
    file: 'members.2026-01-02.csv',
    text: 'id,email,name,note,subscribed_to_emails,complimentary_plan,stripe_customer_id,created_at,deleted_at,labels,tiers\r\n1,ada@example.com,Ada Byron,,true,false,,2024-01-02T15:04:05.000Z,,"vip,eu",\r\n2,bo@example.com,Bo,,false,false,cus_1,2024-01-02T15:04:05.000Z,,,\r\n3,cy@example.com,Cy,,,false,,2024-01-02T15:04:05.000Z,,,\r\n',
    stays: 'ada',
    left: 'bo',
    unclear: 'cy',
  },
  {
    service: 'Kit',
    file: 'all.csv',
    leftBy: { state: kit },
    text: 'first_name,email_address,state,created_at,tags\nAda,ada@example.com,active,2024-01-02T15:04:05Z,"a,b"\nBo,bo@example.com,cancelled,2024-01-03T15:04:05Z,\nCy,cy@example.com,bounced,2024-01-04T15:04:05Z,\nDi,di@example.com,complained,2024-01-05T15:04:05Z,\nEd,ed@example.com,inactive,2024-01-06T15:04:05Z,\nFay,fay@example.com,cold,2024-01-07T15:04:05Z,\n',
    stays: 'ada fay',
    left: 'bo cy di',
    unconfirmed: 'ed',
  },
  {
    service: 'Kit',
    file: 'subscribers.csv',
    leftBy: { status: { confirmed: 'subscribed', unconfirmed: 'unconfirmed', cancelled: 'left' } },
    text: 'first_name,email,created_at,status\nAda,ada@example.com,2024-01-02T15:04:05Z,confirmed\nBo,bo@example.com,2024-01-03T15:04:05Z,cancelled\nCy,cy@example.com,2024-01-04T15:04:05Z,unconfirmed\n',
    stays: 'ada',
    left: 'bo',
    unconfirmed: 'cy',
  },
  {
    service: 'MailerLite',
    file: 'subscribers.csv',
    text: 'Subscriber,Name,Last name,Subscribed,Groups,Status\nada@example.com,Ada,Byron,2024-01-02 15:04:05,Readers,Active\nbo@example.com,Bo,,2024-01-02 15:04:05,,Unsubscribed\ncy@example.com,Cy,,2024-01-02 15:04:05,,Bounced\ndi@example.com,Di,,2024-01-02 15:04:05,,Junk\ned@example.com,Ed,,,,Unconfirmed\n',
    stays: 'ada',
    left: 'bo cy di',
    unconfirmed: 'ed',
  },
  {
    service: 'MailerLite',
    file: 'unsubscribed.csv',
    text: 'Subscriber,Name,Last name,Subscribed,Groups\nada@example.com,Ada,Byron,2024-01-02 15:04:05,Readers\n',
    stays: '',
    left: 'ada',
  },
  {
    service: 'beehiiv',
    file: 'subscribers.csv',
    text: 'email,First Name,Last Name,status,tier,created_at,stripe_customer_id,unsubscribed_at\nada@example.com,Ada,Byron,active,free,2024-01-02 15:04:05 UTC,,\nbo@example.com,Bo,,inactive,free,2024-01-02 15:04:05 UTC,,\ncy@example.com,Cy,,active,premium,2024-01-02 15:04:05 UTC,cus_1,2026-01-02 15:04:05 UTC\ndi@example.com,Di,,pending,free,2024-01-02 15:04:05 UTC,,\ned@example.com,Ed,,needs approval,free,2024-01-02 15:04:05 UTC,,\nfay@example.com,Fay,,invalid,free,2024-01-02 15:04:05 UTC,,\n',
    stays: 'ada',
    left: 'bo cy fay',
    unconfirmed: 'di ed',
  },
  {
    service: 'Buttondown',
    file: 'export.csv',
    text: 'id,secondary_id,email,notes,subscriber_type,referrer_url,creation_date,subscription_date,unsubscription_date\n1,1,ada@example.com,,regular,,2024-01-02T15:04:05Z,2024-01-02T15:04:05Z,\n2,2,bo@example.com,,unsubscribed,,2024-01-02T15:04:05Z,2024-01-02T15:04:05Z,2026-01-02T15:04:05Z\n3,3,cy@example.com,,undeliverable,,2024-01-02T15:04:05Z,,\n4,4,di@example.com,,complained,,2024-01-02T15:04:05Z,,\n5,5,ed@example.com,,unactivated,,2024-01-02T15:04:05Z,,\n6,6,fay@example.com,,past_due,,2024-01-02T15:04:05Z,2024-01-02T15:04:05Z,\n7,7,gus@example.com,,spammy,,2024-01-02T15:04:05Z,,\n',
    stays: 'ada fay',
    left: 'bo cy di gus',
    unconfirmed: 'ed',
  },
  {
    service: 'Brevo',
    file: 'contact_export.csv',
    text: 'EMAIL;LASTNAME;FIRSTNAME;SMS;EMAIL_BLACKLISTED;SMS_BLACKLISTED;ADDED_TIME;MODIFIED_TIME\nada@example.com;Byron;Ada;;No;Yes;02-01-2024 15:04;02-01-2024 15:04\nbo@example.com;;Bo;;Yes;No;02-01-2024 15:04;02-01-2024 15:04\n',
    stays: 'ada',
    left: 'bo',
  },
  {
    service: 'HubSpot',
    file: 'hubspot-crm-exports-all-contacts-2026-01-02.csv',
    text: 'Record ID,First Name,Last Name,Email,Phone Number,Contact owner,Lead Status,Marketing contact status,Create Date,Unsubscribed from all email,Opted out of email: One to One,Email hard bounce reason\n1,Ada,Byron,ada@example.com,,,,Marketing contact,2024-01-02 15:04,,,\n2,Bo,,bo@example.com,,,,,2024-01-02 15:04,true,,\n3,Cy,,cy@example.com,,,,,2024-01-02 15:04,false,true,\n4,Di,,di@example.com,,,,,2024-01-02 15:04,false,false,UNKNOWN_USER\n',
    stays: 'ada',
    left: 'bo cy di',
  },
  {
    service: 'Newsletter Kit',
    file: 'subscribers.csv',
    text: 'id,email,status,subscription_tier,subscription_premium_tier_names,utm_source,utm_medium,utm_channel,utm_campaign,utm_term,utm_content,referring_site,referral_code,created,custom:First Name\r\nsub_1,ada@example.com,active,free,,fair,,website,,,,,abc,2024-01-02T15:04:05.000Z,Ada\r\nsub_2,bo@example.com,inactive,free,,,,website,,,,,abd,2024-01-02T15:04:05.000Z,Bo\r\nsub_3,cy@example.com,invalid,free,,,,website,,,,,abe,2024-01-02T15:04:05.000Z,Cy\r\nsub_4,di@example.com,pending,free,,,,website,,,,,abf,2024-01-02T15:04:05.000Z,Di\r\nsub_5,ed@example.com,paused,free,,,,website,,,,,abg,2024-01-02T15:04:05.000Z,Ed\r\n',
    stays: 'ada',
    left: 'bo cy',
    unconfirmed: 'di',
    unclear: 'ed',
  },
  {
    service: 'Klaviyo',
    file: 'profiles.csv',
    text: '\uFEFFEmail,Klaviyo ID,First Name,Last Name,Phone Number,SMS Marketing Consent,Source,IP Address,Email Marketing Consent,Email Marketing Consent Timestamp,Date Added,Email Suppressions\nada@example.com,k1,Ada,Byron,,,,,SUBSCRIBED,2024-01-02T15:04:05Z,2024-01-02T15:04:05Z,\nbo@example.com,k2,Bo,,,,,,SUBSCRIBED,2024-01-02T15:04:05Z,2024-01-02T15:04:05Z,HARD_BOUNCE\ncy@example.com,k3,Cy,,,,,,NEVER_SUBSCRIBED,,2024-01-02T15:04:05Z,\n',
    stays: 'ada',
    left: 'bo cy',
  },
  {
    service: 'MailPoet',
    file: 'mailpoet_export.csv',
    text: 'Email,First name,Last name,Subscription IP,Subscription time,Confirmation time,Confirmation IP,List status,Global status,List\nada@example.com,Ada,Byron,,,,,subscribed,subscribed,Weekly\nada@example.com,,,,,,,subscribed,inactive,Daily\nbo@example.com,Bo,,,,,,subscribed,subscribed,Weekly\nbo@example.com,,,,,,,unsubscribed,subscribed,Daily\n',
    stays: 'ada ada',
    left: 'bo bo',
  },
];

const addresses = (names = ''): readonly string[] =>
  names.split(' ').flatMap((name) => (name === '' ? [] : [`${name}@example.com`]));

/** Each with the addresses of those who may get mails, and the address and kind of the others, row by row. */
export const exportFixtures = exports.map(({ stays, left, unconfirmed, unclear, ...file }) => ({
  ...file,
  stays: addresses(stays),
  out: Object.entries({ left, unconfirmed, unclear })
    .flatMap(([kind, names]) => addresses(names).map((address) => [address, kind] as const))
    .toSorted(([one], [other]) => one.localeCompare(other)),
}));
