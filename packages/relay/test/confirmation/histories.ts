/**
 * Random histories of a mailbox: its owner and strangers post forms in several spellings, a mail server takes, defers
 * and refuses mails, or breaks off before and after the dot, the relay is killed, and people open links and press
 * buttons. What must hold in each of them.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@newsletter-kit/core';
import fc from 'fast-check';
import { verifyLink } from '../../src/confirmation/mail.ts';
import {
  createLog,
  createRelay,
  everySignup,
  readConfig,
  type Relay,
  type RelayConfig,
  type RelayPlatform,
  type SignupStore,
} from '../../src/index.ts';
import type { MailStep } from '../../src/confirmation/smtp.ts';
import { purposeKey } from '../../src/secrets.ts';
import { environment, post, publicationId } from '../running-relay.ts';
import type { SandboxApi } from '../sandbox-api.ts';
import { publicUrl, secret } from './confirming.ts';
import { formsOf, type PageForm, pressed } from './page.ts';

const minute = 60_000;
const day = 86_400_000;
const forms = ['weekly', 'jobs', 'club'] as const;
const automationOf = (form: string): string =>
  `aut_00000000-0000-4000-8000-00000000000${forms.findIndex((each) => each === form)}`;

/** What a post has beside the form and the address. The first two are the owner's. */
const details = [
  {},
  {
    custom_fields: [
      { name: 'City', value: 'Ulm' },
      { name: 'Name', value: 'Anna' },
    ],
  },
  {
    custom_fields: [
      { name: 'City', value: 'Ulm' },
      { name: 'Name', value: 'Eve' },
    ],
  },
  { custom_fields: [{ name: 'Name', value: '<a href="https://evil.example">win</a>' }] },
  { consent: 'Yes, weekly.' },
] as const;
const sources = [
  {},
  { utm_source: 'spring', utm_medium: 'web' },
  { utm_source: 'attacker', utm_medium: 'web', referral_code: 'mine' },
] as const;
const attribution = ['utm_source', 'utm_medium', 'referral_code'] as const;

const broken = (message: string): Error => Object.assign(new Error(message), { code: 'ESOCKET', command: 'CONN' });

/** What the mail server does instead of taking a mail, and when: the person has what came with its dot. */
const failures = {
  'is down': { at: 'connection', error: Object.assign(new Error('refused'), { code: 'ECONNECTION' }) },
  defers: {
    at: 'message',
    error: Object.assign(new Error('later'), { responseCode: 451, command: 'RCPT TO', response: '451 later' }),
  },
  refuses: {
    at: 'message',
    error: Object.assign(new Error('no'), { responseCode: 550, command: 'RCPT TO', response: '550 5.1.1 no' }),
  },
  'breaks off before the dot': { at: 'message', error: broken('Connection closed') },
  'refuses after the dot': {
    at: 'reply',
    error: Object.assign(new Error('full'), { responseCode: 452, command: 'DATA', response: '452 full' }),
  },
  'says nothing after the dot': { at: 'reply', takes: true, error: broken('Timeout') },
  'is slower than the click': { at: 'reply', takes: true, clicks: true, error: broken('Timeout') },
  'refuses after a click in an earlier mail': {
    at: 'reply',
    clicks: true,
    error: Object.assign(new Error('no'), { responseCode: 554, command: 'DATA', response: '554 5.7.1 no' }),
  },
  'kills the relay before the dot': { at: 'message', kills: true, error: broken('aborted') },
  'kills the relay after the dot': { at: 'reply', takes: true, kills: true, error: broken('aborted') },
} as const satisfies Record<string, { at: MailStep; error: Error; takes?: true; clicks?: true; kills?: true }>;
type Answer = keyof typeof failures;

const pick = fc.nat({ max: 1_000_000 });
const posted = fc.record({
  what: fc.constant('post' as const),
  form: fc.constantFrom('weekly', 'weekly', ...forms),
  spelling: fc.constantFrom(0, 0, 0, 0, 0, 1, 2),
  details: fc.constantFrom(...details),
  source: fc.constantFrom(...sources),
});
const step = fc.oneof(
  { weight: 8, arbitrary: posted },
  {
    weight: 8,
    arbitrary: fc.record({
      what: fc.constant('wait' as const),
      ms: fc.constantFrom(0, 1, 1000, minute, 9 * minute, 10 * minute, 11 * minute, 60 * minute, day, 2 * day),
    }),
  },
  { weight: 6, arbitrary: fc.record({ what: fc.constant('open' as const), mail: pick }) },
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant('click' as const),
      /** Of those that were opened, 0 being the last; null: that of the last mail, opened for it. */
      page: fc.constantFrom(null, null, 0, 1, 2),
      button: pick,
      /** A bit for each box; null: as they are. */
      ticks: fc.option(pick),
      twice: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('mail server' as const),
      answers: fc.array(fc.constantFrom(...(Object.keys(failures) as Answer[])), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('not me' as const), mail: pick }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('erase' as const), spelling: fc.nat({ max: 2 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Begins with a mail. */
export const history: fc.Arbitrary<readonly Step[]> = fc
  .tuple(posted, fc.array(step, { minLength: 8, maxLength: 30, size: 'max' }))
  .map(([first, rest]) => [first, { what: 'wait', ms: 1000 }, ...rest]);

/** Settings of a relay with three forms of one publication. @param folder - for the file */
export function historyConfig(folder: string): RelayConfig {
  const file = join(folder, 'relay.json');
  const named = Object.fromEntries(forms.map((form) => [form, { automation_ids: [automationOf(form)] }]));
  writeFileSync(file, JSON.stringify({ forms: named }));
  return readConfig({
    ...environment,
    RELAY_CONFIG: file,
    RELAY_CONFIRMATION: 'true',
    RELAY_SMTP_URL: 'smtp://127.0.0.1:9',
    RELAY_MAIL_FROM: 'news@shop.example',
    RELAY_PUBLIC_URL: publicUrl,
    RELAY_SECRET: secret,
    RELAY_CONSENT_SENTENCES: 'Yes, weekly.',
    RELAY_LIMIT_IP: '0',
    RELAY_LIMIT_ADDRESS: '0',
  });
}

const log = createLog({ level: 'silent' });
const key = purposeKey(secret, 'confirmation');

interface Post {
  readonly id: string;
  readonly form: string;
  readonly email: string;
  readonly at: number;
  readonly sent: Readonly<Partial<Record<string, unknown>>>;
}

interface Mail {
  readonly id: string;
  readonly link: string;
  readonly at: number;
}

/** A creation, as it is expected or as it was sent, in a form that can be compared. */
const creation = (
  form: string,
  email: string,
  fields: readonly string[],
  from: Readonly<Record<string, unknown>>,
): string => JSON.stringify([form, email, fields.toSorted(), attribution.map((name) => from[name] ?? null)]);

const fieldsOf = ({ custom_fields: fields = [] }: Readonly<Record<string, unknown>>): string[] =>
  (fields as readonly { readonly name: string; readonly value: string }[]).map(
    ({ name, value }) => `${name}: ${value}`,
  );

/** What a history came to. */
export interface Told {
  /** What did not hold, in words. */
  readonly problems: readonly string[];
  readonly mails: number;
  readonly confirmed: number;
  readonly refused: number;
  readonly versions: number;
}

/** Lets a history happen. @param number - of the history: its addresses are its own */
export async function runHistory(
  steps: readonly Step[],
  { number, store, config, api }: { number: number; store: SignupStore; config: RelayConfig; api: SandboxApi },
): Promise<Told> {
  const world = new World(number, store, config, api);
  for (const each of steps) await world.take(each);
  return world.end();
}

class World {
  readonly #problems: string[] = [];
  readonly #spellings: readonly string[];
  readonly #store: SignupStore;
  readonly #api: SandboxApi;
  readonly #start: () => Relay;
  #relay: Relay;
  #isKilled = false;
  #now = Date.UTC(2026, 10, 20, 12);
  readonly #posts = new Map<string, Post>();
  readonly #mails: Mail[] = [];
  /** The times of the mails since the mailbox has last confirmed. */
  #sent: number[] = [];
  #answers: Answer[] = [];
  readonly #pages: { readonly mail: Mail; readonly form: PageForm }[] = [];
  /** Ids for which no mail may be sent any more. */
  readonly #decided = new Set<string>();
  readonly #left = new Set<string>();
  /** The creations that were chosen, by address: those of erased people need not come. */
  readonly #expected = new Map<string, Set<string>>();
  readonly #chosen = new Set<string>();
  #confirmed = 0;
  #refused = 0;
  #versions = 0;
  #isSuppressed = false;

  constructor(number: number, store: SignupStore, config: RelayConfig, api: SandboxApi) {
    this.#spellings = [`anna${number}@gmail.com`, `an.na${number}+x@gmail.com`, `Anna${number}@googlemail.com`];
    this.#store = store;
    this.#api = api;
    api.received.length = 0;
    const client = createClient({
      baseUrl: config.api.url,
      token: 'sandbox-key',
      publicationId,
      fetch: api.fetch,
      pacer: false,
    });
    const openTransport: RelayPlatform['openTransport'] = () =>
      Promise.resolve({
        send: ({ text, messageId }, _signal, onStep) => this.#mail(text, messageId, onStep),
        verify: () => Promise.resolve(),
        close: () => {},
      });
    this.#start = () =>
      createRelay({
        config,
        store,
        log,
        onEvent: ({ type }) => void (type === 'confirmed' && (this.#confirmed += 1)),
        platform: { clientOf: () => client, openTransport },
        timing: { now: () => this.#now, random: () => 0.5 },
      });
    this.#relay = this.#start();
  }

  /** The mail server. */
  async #mail(text: string, messageId: string, onStep: (step: MailStep) => Promise<void>): Promise<void> {
    const answer = this.#answers.shift();
    const failure: (typeof failures)[Answer] | undefined = answer && failures[answer];
    for (const step of ['message', 'reply'] as const) {
      if (failure?.at === 'connection') break;
      await onStep(step);
      if (failure?.at === step) break;
    }
    if (failure === undefined || 'takes' in failure) this.#receive(text, messageId);
    if (failure === undefined) return;
    if ('clicks' in failure) await this.#click({ what: 'click', page: null, button: 0, ticks: null, twice: false });
    if ('kills' in failure) {
      this.#isKilled = true;
      void this.#relay.stop(0);
    }
    throw failure.error;
  }

  /** A mail that the mailbox has. */
  #receive(text: string, messageId: string): void {
    const [link = ''] = /https?:\/\/\S+/.exec(text) ?? [];
    const id = verifyLink(key, link.split('/').at(-1) ?? '') ?? '';
    if (!messageId.includes(id) || id === '') this.#problems.push('a mail has the link of another signup');
    if (this.#isSuppressed) this.#problems.push('a mail was sent although the owner has said that it was not them');
    if (this.#decided.has(id)) this.#problems.push('a mail was sent for a signup that the owner had seen');
    const wait = [0, 10 * minute][this.#sent.length] ?? 2 ** (this.#sent.length - 2) * day;
    const last = this.#sent.at(-1) ?? 0;
    if (this.#now < last + wait) this.#problems.push(`mail ${this.#sent.length + 1} came after ${this.#now - last} ms`);
    this.#sent.push(this.#now);
    this.#mails.push({ id, link, at: this.#now });
  }

  async take(each: Step): Promise<void> {
    if (each.what === 'wait') return this.#pass(each.ms);
    if (each.what === 'mail server') return void this.#answers.push(...each.answers);
    if (each.what === 'post') return this.#post(each);
    if (each.what === 'click') return this.#click(each);
    if (each.what === 'erase') {
      const email = this.#spellings[each.spelling] ?? '';
      await this.#store.erase(email);
      this.#expected.delete(email);
      if (!this.#isSuppressed) this.#sent = [];
      return;
    }
    const mail = this.#mails[each.mail % this.#mails.length];
    if (!mail) return;
    if (each.what === 'open') return this.#open(mail);
    const answer = await this.#visit(`${mail.link}/not-me`, 'POST');
    this.#isSuppressed ||= answer.status === 303;
  }

  /** Lets time pass, and sends and delivers what is due. */
  async #pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      const { nextDueAt } = await this.#relay.deliver({ untilMs: this.#now + minute });
      if (this.#isKilled) {
        this.#isKilled = false;
        this.#relay = this.#start();
        continue;
      }
      if (nextDueAt === null || nextDueAt > end) break;
      this.#now = Math.max(this.#now + 1, nextDueAt);
    }
    this.#now = end;
  }

  async #post({ form, spelling, details: more, source }: Extract<Step, { what: 'post' }>): Promise<void> {
    const email = this.#spellings[spelling] ?? '';
    const sent = { ...more, ...source };
    const request = post({ email, ...sent });
    const answer = await this.#relay.fetch(new Request(`${request.url}/${form}`, request));
    // The newest are those of the same millisecond: histories of one process make their ids by turns.
    const stored = (await this.#store.list({}, { limit: 40 })).find(({ id }) => !this.#posts.has(id));
    if (answer.status !== 202 || !stored) throw new Error(`A post was answered ${answer.status}.`);
    this.#posts.set(stored.id, { id: stored.id, form, email, at: this.#now, sent });
  }

  async #open(mail: Mail): Promise<void> {
    const page = await (await this.#visit(mail.link)).text();
    // The links of the site stand below.
    const content = page.slice(page.indexOf('<main>'), page.indexOf('</main>'));
    if (/href|attacker|mine/.test(content.replaceAll('&lt;a href', '')))
      this.#problems.push('the page has a link or an attribution');
    for (const form of formsOf(page)) this.#pages.push({ mail, form });
  }

  #visit(link: string, method = 'GET', body?: URLSearchParams): Promise<Response> {
    return this.#relay.fetch(new Request(link, { method, ...(body && { body }) }));
  }

  async #click({ page, button: which, ticks, twice }: Extract<Step, { what: 'click' }>): Promise<void> {
    const last = this.#mails.at(-1);
    if (page === null && last) await this.#open(last);
    const opened = this.#pages.at(-1 - (page ?? which % 2));
    const button = opened?.form.buttons[which % (opened.form.buttons.length || 1)];
    if (!opened || !button) return;
    const { form, mail } = opened;
    const isTicked = (box: PageForm['boxes'][number]): boolean =>
      ticks === null ? box.checked : (ticks & (1 << form.boxes.indexOf(box))) > 0;
    const fields = pressed(form, button, isTicked);
    const before = this.#confirmed;
    const answers = await Promise.all(
      Array.from({ length: twice ? 2 : 1 }, () => this.#visit(mail.link, 'POST', new URLSearchParams(fields))),
    );
    const confirmed = this.#confirmed - before;
    this.#refused += answers.filter(({ status }) => status === 409).length;
    if (confirmed === 0) return;

    const shown = form.shown
      .split('.')
      .slice(0, -1)
      .flatMap((id) => this.#posts.get(id) ?? []);
    const groups = Map.groupBy(shown, (each) => `${each.form} ${each.email}`);
    const ticked = form.boxes.length > 0 ? form.boxes.filter(isTicked).map(({ label }) => label) : [form.text];
    const chosen = [...groups].filter(([name]) => ticked.some((label) => `${label} `.startsWith(`${name} `)));
    if (chosen.length !== confirmed)
      this.#problems.push(`${confirmed} were confirmed, and ${chosen.length} were ticked`);
    this.#sent = [];
    this.#isSuppressed = false;
    for (const { id } of shown) this.#decided.add(id);
    for (const [name, posts] of groups)
      if (!chosen.some(([each]) => each === name)) for (const { id } of posts) this.#left.add(id);
    if (form.buttons.length > 1) this.#versions += 1;
    for (const [, posts] of chosen) this.#expect(posts, form, button);
  }

  /** Expects the creation of what all posts agree on, and of what the page showed beside the button. */
  #expect(posts: readonly Post[], form: PageForm, button: PageForm['buttons'][number]): void {
    const [first, ...others] = posts;
    if (!first) return;
    const agreed = fieldsOf(first.sent).filter((field) => others.every(({ sent }) => fieldsOf(sent).includes(field)));
    const own = button.lines.filter((line) => /^(?:City|Name): /.test(line));
    const from = attribution.filter((name) => others.every(({ sent }) => sent[name] === first.sent[name]));
    const fields = [...agreed, ...(form.buttons.length > 1 ? own : [])];
    const sources = Object.fromEntries(from.map((name) => [name, first.sent[name]]));
    const each = creation(first.form, first.email, fields, sources);
    this.#chosen.add(each);
    this.#expected.set(first.email, (this.#expected.get(first.email) ?? new Set()).add(each));
  }

  async end(): Promise<Told> {
    this.#answers = [];
    await this.#pass(4000 * day);
    const created = this.#api.received.map((body) => {
      const [automation] = body['automation_ids'] as readonly string[];
      return creation(
        forms.find((form) => automationOf(form) === automation) ?? '',
        String(body['email']),
        fieldsOf(body),
        body,
      );
    });
    for (const each of created) if (!this.#chosen.has(each)) this.#problems.push(`nobody chose ${each}`);
    for (const each of [...this.#expected.values()].flatMap((all) => [...all]))
      if (!created.includes(each)) this.#problems.push(`${each} was chosen and not delivered`);
    if (!this.#isSuppressed) await this.#checkOpen();
    await this.#relay.stop(0);
    const { length: mails } = this.#mails;
    return {
      problems: this.#problems,
      mails,
      confirmed: this.#confirmed,
      refused: this.#refused,
      versions: this.#versions,
    };
  }

  /** Whatever is open was left by the owner, or is on the page of a link in a mail that was sent after it. */
  async #checkOpen(): Promise<void> {
    const shown = new Set<string>();
    for (const { link, at } of this.#mails)
      for (const form of formsOf(await (await this.#visit(link)).text()))
        for (const id of form.shown.split('.').slice(0, -1)) if (at >= (this.#posts.get(id)?.at ?? 0)) shown.add(id);
    for await (const { id, state } of everySignup(this.#store))
      if (state === 'unconfirmed' && !this.#left.has(id) && !shown.has(id))
        this.#problems.push('a signup is neither mailed nor shown');
  }
}
