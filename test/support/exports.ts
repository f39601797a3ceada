/**
 * Exports of services in their published layouts, with made-up people: who may get mails, and who stays out and why. A
 * row each; a test walks them through every reader.
 */

import type { ValueMeanings } from '@newsletter-kit/core/import';

/** A file as a service writes it. */
export interface ExportFixture {
  readonly service: string;
  readonly file: string;
  readonly text: string;
  /** The answer that is asked for, where any table may look like this export. */
  readonly leftBy?: Readonly<Record<string, ValueMeanings>>;
  /** Addresses of those who may get mails. */
  readonly stays: readonly string[];
  /** Kind and reason of the others, in the order of their rows. */
  readonly out: readonly (readonly [address: string, kind: 'left' | 'unconfirmed' | 'unclear', reason: string])[];
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

export const exportFixtures: readonly ExportFixture[] = [
  {
    service: 'Mailchimp',
    file: 'subscribed_members_export_4711.csv',
    text: `${mailchimp(',TAGS', 'LAST_CHANGED')}ada@example.com,Ada,Byron,${signup},2026-01-02 15:04:05,1,e1,,"""a"",""b"""\nbo@example.com,Bo,,2,,,,,,,,,,,,2026-01-02 15:04:05,2,e2,,\n`,
    stays: ['ada@example.com'],
    out: [['bo@example.com', 'left', 'column "CONFIRM_TIME" is blank']],
  },
  {
    service: 'Mailchimp',
    file: 'people.csv',
    text: `${mailchimp(',TAGS', 'UNSUB_TIME,UNSUB_CAMPAIGN_TITLE,UNSUB_CAMPAIGN_ID,UNSUB_REASON,UNSUB_REASON_OTHER')}ada@example.com,Ada,Byron,${signup},2026-01-02 15:04:05,Spring,c1,NORMAL,,1,e1,,\nbo@example.com,Bo,,${signup},2030-01-02 15:04:05,,,,,2,e2,,\n`,
    stays: [],
    out: [
      ['ada@example.com', 'left', 'column "UNSUB_TIME" is filled'],
      ['bo@example.com', 'left', 'column "UNSUB_TIME" is filled'],
    ],
  },
  {
    service: 'Mailchimp',
    file: 'people.csv',
    text: `${mailchimp('', 'CLEAN_TIME,CLEAN_CAMPAIGN_TITLE,CLEAN_CAMPAIGN_ID')}ada@example.com,Ada,Byron,${signup},2026-01-02 15:04:05,Spring,c1,1,e1,\n`,
    stays: [],
    out: [['ada@example.com', 'left', 'column "CLEAN_TIME" is filled']],
  },
  {
    service: 'Mailchimp',
    file: 'nonsubscribed_members_export_4711.csv',
    text: `${mailchimp('', 'LAST_CHANGED')}ada@example.com,Ada,Byron,${signup},2026-01-02 15:04:05,1,e1,\n`,
    stays: [],
    out: [['ada@example.com', 'left', 'the name of the file says "nonsubscribed" of everybody in it']],
  },
  {
    service: 'Substack',
    file: 'email_list.example.csv',
    text: 'email,active_subscription,expiry,email_disabled,prefer_digests,created_at\nada@example.com,false,,false,false,2024-01-02T15:04:05.000Z\nbo@example.com,true,2027-01-01T00:00:00.000Z,true,false,2024-01-02T15:04:05.000Z\n',
    stays: ['ada@example.com'],
    out: [['bo@example.com', 'left', 'column "email_disabled" says "true"']],
  },
  {
    service: 'Substack',
    file: 'email_list.example.csv',
    text: 'email,active_subscription,expiry,plan,email_disabled,created_at,first_payment_at\nada@example.com,true,,yearly,false,2024-01-02T15:04:05.000Z,\nbo@example.com,false,,other,true,2024-01-02T15:04:05.000Z,\n',
    stays: ['ada@example.com'],
    out: [['bo@example.com', 'left', 'column "email_disabled" says "true"']],
  },
  {
    service: 'Ghost',
    file: 'members.2026-01-02.csv',
    text: 'id,email,name,note,subscribed_to_emails,complimentary_plan,stripe_customer_id,created_at,deleted_at,labels,tiers\r\n1,ada@example.com,Ada Byron,,true,false,,2024-01-02T15:04:05.000Z,,"vip,eu",\r\n2,bo@example.com,Bo,,false,false,cus_1,2024-01-02T15:04:05.000Z,,,\r\n3,cy@example.com,Cy,,,false,,2024-01-02T15:04:05.000Z,,,\r\n',
    stays: ['ada@example.com'],
    out: [
      ['bo@example.com', 'left', 'column "subscribed_to_emails" says "false"'],
      ['cy@example.com', 'unclear', 'column "subscribed_to_emails" is blank'],
    ],
  },
  {
    service: 'Kit',
    file: 'all.csv',
    leftBy: { state: kit },
    text: 'first_name,email_address,state,created_at,tags\nAda,ada@example.com,active,2024-01-02T15:04:05Z,"a,b"\nBo,bo@example.com,cancelled,2024-01-03T15:04:05Z,\nCy,cy@example.com,bounced,2024-01-04T15:04:05Z,\nDi,di@example.com,complained,2024-01-05T15:04:05Z,\nEd,ed@example.com,inactive,2024-01-06T15:04:05Z,\nFay,fay@example.com,cold,2024-01-07T15:04:05Z,\n',
    stays: ['ada@example.com', 'fay@example.com'],
    out: [
      ['bo@example.com', 'left', 'column "state" says "cancelled"'],
      ['cy@example.com', 'left', 'column "state" says "bounced"'],
      ['di@example.com', 'left', 'column "state" says "complained"'],
      ['ed@example.com', 'unconfirmed', 'column "state" says "inactive"'],
    ],
  },
  {
    service: 'Kit',
    file: 'subscribers.csv',
    leftBy: { status: { confirmed: 'subscribed', unconfirmed: 'unconfirmed', cancelled: 'left' } },
    text: 'first_name,email,created_at,status\nAda,ada@example.com,2024-01-02T15:04:05Z,confirmed\nBo,bo@example.com,2024-01-03T15:04:05Z,cancelled\nCy,cy@example.com,2024-01-04T15:04:05Z,unconfirmed\n',
    stays: ['ada@example.com'],
    out: [
      ['bo@example.com', 'left', 'column "status" says "cancelled"'],
      ['cy@example.com', 'unconfirmed', 'column "status" says "unconfirmed"'],
    ],
  },
  {
    service: 'MailerLite',
    file: 'subscribers.csv',
    text: 'Subscriber,Name,Last name,Subscribed,Groups,Status\nada@example.com,Ada,Byron,2024-01-02 15:04:05,Readers,Active\nbo@example.com,Bo,,2024-01-02 15:04:05,,Unsubscribed\ncy@example.com,Cy,,2024-01-02 15:04:05,,Bounced\ndi@example.com,Di,,2024-01-02 15:04:05,,Junk\ned@example.com,Ed,,,,Unconfirmed\n',
    stays: ['ada@example.com'],
    out: [
      ['bo@example.com', 'left', 'column "Status" says "Unsubscribed"'],
      ['cy@example.com', 'left', 'column "Status" says "Bounced"'],
      ['di@example.com', 'left', 'column "Status" says "Junk"'],
      ['ed@example.com', 'unconfirmed', 'column "Status" says "Unconfirmed"'],
    ],
  },
  {
    service: 'MailerLite',
    file: 'unsubscribed.csv',
    text: 'Subscriber,Name,Last name,Subscribed,Groups\nada@example.com,Ada,Byron,2024-01-02 15:04:05,Readers\n',
    stays: [],
    out: [['ada@example.com', 'left', 'the name of the file says "unsubscribed" of everybody in it']],
  },
  {
    service: 'beehiiv',
    file: 'subscribers.csv',
    text: 'email,First Name,Last Name,status,tier,created_at,stripe_customer_id,unsubscribed_at\nada@example.com,Ada,Byron,active,free,2024-01-02 15:04:05 UTC,,\nbo@example.com,Bo,,inactive,free,2024-01-02 15:04:05 UTC,,\ncy@example.com,Cy,,active,premium,2024-01-02 15:04:05 UTC,cus_1,2026-01-02 15:04:05 UTC\ndi@example.com,Di,,pending,free,2024-01-02 15:04:05 UTC,,\ned@example.com,Ed,,needs approval,free,2024-01-02 15:04:05 UTC,,\nfay@example.com,Fay,,invalid,free,2024-01-02 15:04:05 UTC,,\n',
    stays: ['ada@example.com'],
    out: [
      ['bo@example.com', 'left', 'column "status" says "inactive"'],
      ['cy@example.com', 'left', 'column "unsubscribed_at" is filled'],
      ['di@example.com', 'unconfirmed', 'column "status" says "pending"'],
      ['ed@example.com', 'unconfirmed', 'column "status" says "needs approval"'],
      ['fay@example.com', 'left', 'column "status" says "invalid"'],
    ],
  },
  {
    service: 'Buttondown',
    file: 'export.csv',
    text: 'id,secondary_id,email,notes,subscriber_type,referrer_url,creation_date,subscription_date,unsubscription_date\n1,1,ada@example.com,,regular,,2024-01-02T15:04:05Z,2024-01-02T15:04:05Z,\n2,2,bo@example.com,,unsubscribed,,2024-01-02T15:04:05Z,2024-01-02T15:04:05Z,2026-01-02T15:04:05Z\n3,3,cy@example.com,,undeliverable,,2024-01-02T15:04:05Z,,\n4,4,di@example.com,,complained,,2024-01-02T15:04:05Z,,\n5,5,ed@example.com,,unactivated,,2024-01-02T15:04:05Z,,\n6,6,fay@example.com,,past_due,,2024-01-02T15:04:05Z,2024-01-02T15:04:05Z,\n7,7,gus@example.com,,spammy,,2024-01-02T15:04:05Z,,\n',
    stays: ['ada@example.com', 'fay@example.com'],
    out: [
      ['bo@example.com', 'left', 'column "subscriber_type" says "unsubscribed"'],
      ['cy@example.com', 'left', 'column "subscriber_type" says "undeliverable"'],
      ['di@example.com', 'left', 'column "subscriber_type" says "complained"'],
      ['ed@example.com', 'unconfirmed', 'column "subscriber_type" says "unactivated"'],
      ['gus@example.com', 'left', 'column "subscriber_type" says "spammy"'],
    ],
  },
  {
    service: 'Brevo',
    file: 'contact_export.csv',
    text: 'EMAIL;LASTNAME;FIRSTNAME;SMS;EMAIL_BLACKLISTED;SMS_BLACKLISTED;ADDED_TIME;MODIFIED_TIME\nada@example.com;Byron;Ada;;No;Yes;02-01-2024 15:04;02-01-2024 15:04\nbo@example.com;;Bo;;Yes;No;02-01-2024 15:04;02-01-2024 15:04\n',
    stays: ['ada@example.com'],
    out: [['bo@example.com', 'left', 'column "EMAIL_BLACKLISTED" says "Yes"']],
  },
  {
    service: 'HubSpot',
    file: 'hubspot-crm-exports-all-contacts-2026-01-02.csv',
    text: 'Record ID,First Name,Last Name,Email,Phone Number,Contact owner,Lead Status,Marketing contact status,Create Date,Unsubscribed from all email,Opted out of email: One to One,Email hard bounce reason\n1,Ada,Byron,ada@example.com,,,,Marketing contact,2024-01-02 15:04,,,\n2,Bo,,bo@example.com,,,,,2024-01-02 15:04,true,,\n3,Cy,,cy@example.com,,,,,2024-01-02 15:04,false,true,\n4,Di,,di@example.com,,,,,2024-01-02 15:04,false,false,UNKNOWN_USER\n',
    stays: ['ada@example.com'],
    out: [
      ['bo@example.com', 'left', 'column "Unsubscribed from all email" says "true"'],
      ['cy@example.com', 'left', 'column "Opted out of email: One to One" says "true"'],
      ['di@example.com', 'left', 'column "Email hard bounce reason" is filled'],
    ],
  },
  {
    service: 'Newsletter Kit',
    file: 'subscribers.csv',
    text: 'id,email,status,subscription_tier,subscription_premium_tier_names,utm_source,utm_medium,utm_channel,utm_campaign,utm_term,utm_content,referring_site,referral_code,created,custom:First Name\r\nsub_1,ada@example.com,active,free,,fair,,website,,,,,abc,2024-01-02T15:04:05.000Z,Ada\r\nsub_2,bo@example.com,inactive,free,,,,website,,,,,abd,2024-01-02T15:04:05.000Z,Bo\r\nsub_3,cy@example.com,invalid,free,,,,website,,,,,abe,2024-01-02T15:04:05.000Z,Cy\r\nsub_4,di@example.com,pending,free,,,,website,,,,,abf,2024-01-02T15:04:05.000Z,Di\r\nsub_5,ed@example.com,paused,free,,,,website,,,,,abg,2024-01-02T15:04:05.000Z,Ed\r\n',
    stays: ['ada@example.com'],
    out: [
      ['bo@example.com', 'left', 'column "status" says "inactive"'],
      ['cy@example.com', 'left', 'column "status" says "invalid"'],
      ['di@example.com', 'unconfirmed', 'column "status" says "pending"'],
      ['ed@example.com', 'unclear', 'column "status" says "paused"'],
    ],
  },
  {
    service: 'Klaviyo',
    file: 'profiles.csv',
    text: '\uFEFFEmail,Klaviyo ID,First Name,Last Name,Phone Number,SMS Marketing Consent,Source,IP Address,Email Marketing Consent,Email Marketing Consent Timestamp,Date Added,Email Suppressions\nada@example.com,k1,Ada,Byron,,,,,SUBSCRIBED,2024-01-02T15:04:05Z,2024-01-02T15:04:05Z,\nbo@example.com,k2,Bo,,,,,,SUBSCRIBED,2024-01-02T15:04:05Z,2024-01-02T15:04:05Z,HARD_BOUNCE\ncy@example.com,k3,Cy,,,,,,NEVER_SUBSCRIBED,,2024-01-02T15:04:05Z,\n',
    stays: ['ada@example.com'],
    out: [
      ['bo@example.com', 'left', 'column "Email Suppressions" is filled'],
      ['cy@example.com', 'left', 'column "Email Marketing Consent" says "NEVER_SUBSCRIBED"'],
    ],
  },
  {
    service: 'MailPoet',
    file: 'mailpoet_export.csv',
    text: 'Email,First name,Last name,Subscription IP,Subscription time,Confirmation time,Confirmation IP,List status,Global status,List\nada@example.com,Ada,Byron,,,,,subscribed,subscribed,Weekly\nada@example.com,,,,,,,subscribed,inactive,Daily\nbo@example.com,Bo,,,,,,subscribed,subscribed,Weekly\nbo@example.com,,,,,,,unsubscribed,subscribed,Daily\n',
    stays: ['ada@example.com', 'ada@example.com'],
    out: [
      ['bo@example.com', 'left', 'row 5 says that this person has left'],
      ['bo@example.com', 'left', 'column "List status" says "unsubscribed"'],
    ],
  },
];
