/**
 * Content of the demo seed: automations with journeys, authors, an advertisement, complimentary access, condition
 * sets, publication fields.
 */
import type { Seed } from './seed.ts';

type SeedPublication = Seed['publications'][number];
type DemoContent = Pick<
  SeedPublication,
  'automations' | 'authors' | 'advertisement_opportunities' | 'complimentary_access' | 'condition_sets'
>;

type SeedJourney = NonNullable<NonNullable<SeedPublication['automations']>[number]['journeys']>[number];

/** A journey through an automation; its times in days before now. */
type DemoJourney = readonly [
  email: string,
  status: SeedJourney['status'],
  startedAgo: number,
  completedAgo: number | null,
  step: number,
];

const day = 86_400;

/** @param now - Unix seconds @param founded - when the publication began */
export function demoContent(now: number, founded: number): DemoContent {
  const journeys = (rows: readonly DemoJourney[]): SeedJourney[] =>
    rows.map(([email, status, startedAgo, completedAgo, step]) => ({
      email,
      status,
      started: now - startedAgo * day,
      ...(completedAgo !== null && { completed: now - completedAgo * day }),
      step,
    }));
  return {
    automations: [
      {
        name: 'Welcome aboard',
        description: 'Three letters in the first ten days.',
        status: 'running',
        trigger_events: ['api', 'signup'],
        created: founded + 30 * day,
        emails: [
          {
            subject_line: 'Welcome aboard',
            preview_text: 'Where the ropes are',
            wait: 'PT0S',
            first_sent_at: founded + 31 * day,
            last_sent_at: now - 2 * day,
            recipients: 240,
            delivered: 236,
            opens: 310,
            unique_opens: 171,
            clicks: 96,
            unique_clicks: 63,
            unsubscribes: 3,
            spam_reports: 0,
            links: [
              { url: 'https://harbour.example/start', clicks: 70, unique_clicks: 48 },
              { url: 'https://harbour.example/chart', clicks: 26, unique_clicks: 19 },
            ],
          },
          {
            subject_line: 'The harbour at five in the morning',
            preview_text: 'A walk along the quay',
            wait: 'P3D',
            first_sent_at: founded + 34 * day,
            last_sent_at: now - 4 * day,
            recipients: 221,
            delivered: 219,
            opens: 204,
            unique_opens: 131,
            clicks: 41,
            unique_clicks: 30,
            unsubscribes: 4,
            spam_reports: 1,
            links: [{ url: 'https://harbour.example/photos', clicks: 41, unique_clicks: 30 }],
          },
          {
            subject_line: 'Would you like the tide tables?',
            preview_text: 'Every month, in print',
            wait: 'P7D',
            first_sent_at: founded + 41 * day,
            last_sent_at: now - 11 * day,
            recipients: 198,
            delivered: 197,
            opens: 160,
            unique_opens: 108,
            clicks: 52,
            unique_clicks: 44,
            unsubscribes: 2,
            spam_reports: 0,
            links: [{ url: 'https://harbour.example/tides', clicks: 52, unique_clicks: 44 }],
          },
          {
            subject_line: 'An older welcome',
            preview_text: 'No longer sent',
            status: 'inactive',
            wait: 'P1D',
            recipients: 12,
            delivered: 12,
            opens: 9,
            unique_opens: 7,
          },
        ],
        journeys: journeys([
          ['ada.lovelace@example.com', 'completed', 400, 390, 3],
          ['grace@example.org', 'completed', 380, 370, 3],
          ['zoë@example.com', 'exited_early', 200, 197, 1],
          ['tu.youyou@example.org', 'in_progress', 2, null, 1],
          ['shafi@example.com', 'in_progress', 6, null, 2],
        ]),
      },
      {
        name: 'Come back',
        description: 'One letter to those who have not opened any for a while.',
        status: 'live',
        trigger_events: ['unengaged'],
        created: founded + 400 * day,
        emails: [
          {
            subject_line: 'Are you still there?',
            preview_text: 'We keep your berth',
            wait: 'PT6H',
            first_sent_at: founded + 401 * day,
            last_sent_at: now - 20 * day,
            recipients: 64,
            delivered: 60,
            opens: 22,
            unique_opens: 17,
            clicks: 9,
            unique_clicks: 8,
            unsubscribes: 11,
            spam_reports: 1,
            links: [{ url: 'https://harbour.example/stay', clicks: 9, unique_clicks: 8 }],
          },
        ],
        journeys: journeys([
          ['linus+news@example.net', 'completed', 90, 89.75, 1],
          ['tim@example.net', 'manually_removed', 60, 59, 0],
        ]),
      },
    ],
    authors: [
      {
        name: 'Johanna Petersen',
        type: 'user',
        bio: 'Keeps the harbour’s log.',
        bio_image_url: 'https://harbour.example/johanna.png',
        created: founded,
        social_media_links: { bluesky_url: 'https://social.example/johanna', rss_url: 'https://harbour.example/feed' },
      },
      {
        name: 'Émile Nakamura',
        type: 'guest_author',
        bio: 'Writes about the sea, from the mountains.',
        created: founded + 200 * day,
        social_media_links: { twitter_handle: 'emile' },
      },
    ],
    advertisement_opportunities: [
      {
        advertiser_name: 'Nordlicht Ropes',
        payout_rate: '$2.10 per click',
        advertisement_kind: 'with_logo',
        send_by_window_start_at: now + 2 * day,
        send_by_window_end_at: now + 16 * day,
      },
    ],
    complimentary_access: [
      {
        tier: 'Supporter',
        duration: 3,
        time_unit: 'months',
        description: '3 Months Gift',
        created: founded + 100 * day,
        given_to: ['radia.perlman@example.net', 'vint@example.net'],
      },
      {
        tier: 'Patron',
        duration: null,
        time_unit: 'forever',
        description: 'Lifetime Gift',
        created: founded + 150 * day,
        given_to: ['margaret@example.org'],
      },
    ],
    condition_sets: [
      {
        name: 'Boats, from the podcast or a friend',
        conditions: {
          all: [
            { attribute: 'utm_source', in: ['podcast', 'friend'] },
            { custom_field: 'Topics', equals: 'boats' },
          ],
        },
        created: founded + 300 * day,
        updated: now - 30 * day,
      },
      {
        name: 'Patrons',
        status: 'archived',
        conditions: { any: [{ premium_tier: 'Patron' }] },
        created: founded + 310 * day,
        updated: now - 40 * day,
      },
    ],
  };
}

/** One of every kind, and one that is archived. */
export function demoPublicationFields(founded: number): NonNullable<Seed['publication_fields']> {
  const created = founded + 20 * day;
  const fields: NonNullable<Seed['publication_fields']> = [
    { name: 'harbour_name', display: 'Harbour', kind: 'text', default_value: 'Husum' },
    { name: 'berths', display: 'Berths', kind: 'number', default_value: '120' },
    { name: 'has_lighthouse', display: 'Has a lighthouse', kind: 'boolean', default_value: 'true' },
    { name: 'regatta_day', display: 'Day of the regatta', kind: 'date', default_value: '2027-06-12' },
    { name: 'flag_color', display: 'Colour of the flag', kind: 'color', default_value: '#0b5fa5' },
    { name: 'harbour_site', display: 'Web site', kind: 'url', default_value: 'https://harbour.example' },
    { name: 'banner', display: 'Banner', kind: 'image_url', default_value: 'https://harbour.example/banner.png' },
    {
      name: 'news_feed',
      display: 'News',
      kind: 'rss_feed_url',
      value_source: 'fetched',
      endpoint_url: 'https://harbour.example/feed',
    },
    {
      name: 'tides',
      display: 'Tides',
      kind: 'json',
      value_source: 'fetched',
      endpoint_url: 'https://tides.example/{{harbour_name}}',
      response_keys: [
        { key: 'high_water', kind: 'text' },
        { key: 'height', kind: 'number' },
        { key: 'day', kind: 'date' },
        { key: 'chart', kind: 'image_url' },
        { key: 'source', kind: 'url' },
      ],
    },
    { name: 'old_motto', display: 'Motto', kind: 'text', default_value: 'Always dry', status: 'archived' },
  ];
  return fields.map((field) => ({ ...field, created }));
}
