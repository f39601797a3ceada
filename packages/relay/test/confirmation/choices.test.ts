/** The page of a confirmation link: what it shows of a mailbox, and what becomes of a choice. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';
import { signLink } from '../../src/confirmation/mail.ts';
import type { StoredSignup } from '../../src/index.ts';
import { purposeKey } from '../../src/secrets.ts';
import { linkIn, startMailServer } from '../mail-server.ts';
import { sandboxApi } from '../sandbox-api.ts';
import { confirming, secret } from './confirming.ts';
import { formsOf, type PageForm, pressed } from './page.ts';

const anna = 'anna@gmail.com';
const minute = 60_000;
const hour = 60 * minute;
const named = (name: string, value: string) => ({ custom_fields: [{ name, value }] });
const key = purposeKey(secret, 'confirmation');

/** A relay with two forms of one publication, on a clock that only the test moves. */
async function twoForms(settings: Readonly<Record<string, string>> = {}, more = '') {
  const mail = await startMailServer();
  const api = sandboxApi();
  const file = join(scratchFolder(), 'relay.yaml');
  writeFileSync(file, `forms:\n  weekly: { ${more} }\n  jobs: {}\n`);
  let now = Date.UTC(2026, 10, 20, 12);
  const relay = confirming(
    mail,
    { now: () => now, api: api.fetch, settings: { RELAY_CONFIG: file, RELAY_LIMIT_ADDRESS: '0', ...settings } },
    { starts: false },
  );
  /** Lets time pass, and sends and delivers what is due. */
  const pass = async (ms = 10_000): Promise<void> => {
    const end = now + ms;
    for (;;) {
      const { nextDueAt } = await relay.deliver({ untilMs: now + minute });
      if (nextDueAt === null || nextDueAt > end) break;
      now = Math.max(now + 1, nextDueAt);
    }
    now = end;
  };
  const forms = async (link: string): Promise<readonly PageForm[]> => formsOf(await (await relay.visit(link)).text());
  return {
    ...relay,
    pass,
    forms,
    recipients: () => mail.received.map(({ recipient }) => recipient),
    /** The link of a mail, the first one being 0. */
    link(n: number): string {
      const received = mail.received[n];
      if (!received) throw new Error(`There is no mail ${n}.`);
      return linkIn(received);
    },
    /** What the API got: the address and what came with it. */
    delivered: () => api.received.map(({ double_opt_override: _, ...request }) => request),
    signups: (): Promise<readonly StoredSignup[]> => relay.store.list({}, { limit: 99 }),
    /** Presses a button as a browser does, by its label. */
    async press(link: string, label: string, ticks?: (label: string) => boolean, place = 0): Promise<Response> {
      const all = (await forms(link)).flatMap((form) => form.buttons.map((button) => ({ form, button })));
      const found = all.filter(({ button }) => button.label === label)[place];
      if (!found) throw new Error(`There is no button "${label}".`);
      return relay.visit(link, 'POST', pressed(found.form, found.button, ticks && ((box) => ticks(box.label))));
    },
  };
}

describe('the page of a link', () => {
  it('lists every form of the mailbox with its address and words, and ticks what the mail named', async () => {
    const relay = await twoForms({ RELAY_CONSENT_SENTENCES: 'Yes, weekly.|Yes, jobs.' });
    await relay.signUp(anna, { consent: 'Yes, weekly.' }, 'weekly');
    await relay.pass();
    for (const email of [anna, 'an.na+x@gmail.com']) await relay.signUp(email, { consent: 'Yes, jobs.' }, 'jobs');
    await relay.pass();
    expect(relay.recipients()).toEqual([anna]);
    const [form, ...others] = await relay.forms(relay.link(0));
    expect(others).toEqual([]);
    expect(form?.boxes.map(({ label, checked }) => [label, checked])).toEqual([
      [`weekly ${anna} Yes, weekly.`, true],
      [`jobs ${anna} Yes, jobs.`, false],
      ['jobs an.na+x@gmail.com Yes, jobs.', false],
    ]);

    const clicked = await relay.press(relay.link(0), 'Confirm', (label) => label.includes(anna));
    expect([clicked.status, new URL(clicked.headers.get('location') ?? '', relay.link(0)).href]).toEqual([
      303,
      relay.link(0),
    ]);
    await relay.pass(24 * hour);
    expect(relay.delivered()).toEqual([{ email: anna }, { email: anna }]);
    expect(
      (await relay.store.person(anna)).consents.map(({ kind, form: of, sentence }) => [of, kind, sentence]).toSorted(),
    ).toEqual([
      ['jobs', 'confirmed', 'Yes, jobs.'],
      ['jobs', 'given', 'Yes, jobs.'],
      ['weekly', 'confirmed', 'Yes, weekly.'],
      ['weekly', 'given', 'Yes, weekly.'],
    ]);
    // What was left unticked got no mail, and can still be confirmed.
    expect(relay.recipients()).toEqual([anna]);
    expect(await relay.forms(relay.link(0))).toMatchObject([{ text: 'jobs an.na+x@gmail.com Yes, jobs.', boxes: [] }]);
    expect((await relay.press(relay.link(0), 'Confirm')).status).toBe(303);
    await relay.pass();
    expect(relay.delivered().at(-1)).toEqual({ email: 'an.na+x@gmail.com' });
    expect(relay.events.filter(({ type }) => type === 'confirmed')).toHaveLength(3);
  });

  it('is not needed for the mail of a second form, which is sent when the wait is over', async () => {
    const relay = await twoForms();
    await relay.signUp(anna, {}, 'weekly');
    await relay.pass();
    await relay.signUp(anna, {}, 'jobs');
    await relay.pass();
    const [held] = await relay.store.list({ reason: 'has one already' }, { limit: 9 });
    expect(held).toMatchObject({ form: 'jobs', state: 'unconfirmed' });
    expect(held?.reason).not.toMatch(/\d|@/);
    await relay.pass(9 * minute);
    expect(relay.recipients()).toHaveLength(1);
    await relay.pass(minute);
    expect(relay.recipients()).toEqual([anna, anna]);
    expect((await relay.forms(relay.link(1)))[0]?.boxes.map(({ label, checked }) => [label, checked])).toEqual([
      [`weekly ${anna}`, false],
      [`jobs ${anna}`, true],
    ]);
    await relay.pass(100 * 24 * hour);
    expect(relay.recipients()).toHaveLength(2);
  });

  it.each(['before', 'after'])(
    'confirms no attribution of a stranger who signed the owner up %s them',
    async (place) => {
      const relay = await twoForms();
      const stranger = { utm_source: 'attacker', referral_code: 'mine', utm_medium: 'web', ...named('City', 'Ulm') };
      const posts = [{ utm_source: 'spring', utm_medium: 'web', ...named('City', 'Ulm') }];
      for (const more of place === 'before' ? [stranger, ...posts] : [...posts, stranger]) {
        await relay.signUp(anna, more, 'weekly');
        await relay.pass();
      }
      const page = await (await relay.visit(relay.link(0))).text();
      expect(page).not.toMatch(/attacker|spring|mine/);
      await relay.press(relay.link(0), 'Confirm');
      await relay.pass(24 * hour);
      // All agree on the rest.
      expect(relay.delivered()).toEqual([{ email: anna, utm_medium: 'web', ...named('City', 'Ulm') }]);
      expect(await relay.signups()).toHaveLength(1);
      expect(relay.recipients()).toHaveLength(1);
    },
  );

  describe('on which several posts of a form differ', () => {
    const html = '<a href="https://evil.example">win</a>';
    async function differing() {
      const relay = await twoForms();
      for (const more of [
        named('Name', html),
        { ...named('Name', 'Anna'), utm_source: 'own' },
        {},
        named('Name', 'x'),
        named('Name', 'Anna'),
      ]) {
        await relay.signUp(anna, { ...more, utm_medium: 'web' }, 'weekly');
        await relay.pass();
      }
      await relay.signUp(anna, {}, 'jobs');
      await relay.pass();
      return relay;
    }

    it('shows at most three versions as text, each with a button, beside the other forms', async () => {
      const relay = await differing();
      const page = await (await relay.visit(relay.link(0))).text();
      expect(page).not.toContain('href="https://evil');
      const [weekly, jobs, ...others] = formsOf(page);
      expect(others).toEqual([]);
      expect(jobs).toMatchObject({ text: `jobs ${anna}`, boxes: [], buttons: [{ label: 'Confirm' }] });
      expect(weekly?.text).toBe(
        `weekly ${anna} It was sent more than once, with different details. Choose yours: Name: Anna No more than the address Name: x`,
      );
      expect(weekly?.buttons.map(({ label }) => label)).toEqual(['Confirm', 'Confirm', 'Confirm', 'Only my address']);
    });

    it.each([
      ['a version', 'Confirm', 0, named('Name', 'Anna')],
      ['only the address', 'Only my address', 0, {}],
    ])('delivers %s', async (_what, label, place, sent) => {
      const relay = await differing();
      const answer = await relay.press(relay.link(0), label, undefined, place);
      expect(new URL(answer.headers.get('location') ?? '', relay.link(0)).href).toBe(relay.link(0));
      await relay.pass();
      expect(relay.delivered()).toEqual([{ email: anna, utm_medium: 'web', ...sent }]);
      // The other form is still open, and what was replaced is gone.
      expect(await relay.signups()).toMatchObject([{ form: 'jobs', state: 'unconfirmed' }, { state: 'delivered' }]);
      await relay.pass(100 * 24 * hour);
      expect(relay.recipients()).toHaveLength(1);
    });

    it('has a version for each sentence', async () => {
      const relay = await twoForms({ RELAY_CONSENT_SENTENCES: 'Old words.|New words.' });
      for (const consent of ['Old words.', 'New words.']) await relay.signUp(anna, { consent }, 'weekly');
      await relay.pass();
      await relay.press(relay.link(0), 'Confirm', undefined, 1);
      const { consents } = await relay.store.person(anna);
      expect(consents.find(({ kind }) => kind === 'confirmed')).toMatchObject({ sentence: 'New words.' });
    });
  });

  it('changes nothing, however often it is opened', async () => {
    const relay = await twoForms();
    for (const form of ['weekly', 'jobs']) await relay.signUp(anna, {}, form);
    await relay.pass();
    const before = [await relay.signups(), await relay.store.person(anna)];
    for (let n = 0; n < 200; n += 1) await relay.visit(relay.link(0), n % 3 ? 'GET' : 'HEAD');
    expect([await relay.signups(), await relay.store.person(anna)]).toEqual(before);
  });

  it('shows the words of the signup, also where its form has changed or is gone since', async () => {
    const relay = await twoForms({ RELAY_CONSENT_VERSION: '1', RELAY_CONSENT_SENTENCES: 'Old words.' });
    await relay.signUp(anna, { consent: 'Old words.' }, 'weekly');
    await relay.signUp(anna, { consent: 'Old words.' }, 'jobs');
    await relay.pass();
    const mail = await startMailServer();
    const settings = { RELAY_CONSENT_VERSION: '2', RELAY_CONSENT_SENTENCES: 'New words.' };
    const later = confirming(mail, { store: relay.store, settings }, { starts: false });
    const page = formsOf(await (await later.visit(relay.link(0))).text());
    expect(page[0]?.boxes.map(({ label }) => label)).toEqual([`weekly ${anna} Old words.`, `jobs ${anna} Old words.`]);
    const [form] = page;
    const [button] = form?.buttons ?? [];
    if (!form || !button) throw new Error('The page has a form.');
    expect(
      (
        await later.visit(
          relay.link(0),
          'POST',
          pressed(form, button, () => true),
        )
      ).status,
    ).toBe(303);
    const confirmed = (await later.store.person(anna)).consents.filter(({ kind }) => kind === 'confirmed');
    expect(confirmed).toMatchObject([
      { sentence: 'Old words.', version: '1' },
      { sentence: 'Old words.', version: '1' },
    ]);
    expect(await later.store.counts()).toMatchObject({ unconfirmed: 0, waiting: 2 });
  });
});

describe('the click on that page', () => {
  it('leaves open what came after the page was opened, and asks for it by mail', async () => {
    const relay = await twoForms();
    await relay.signUp(anna, {}, 'weekly');
    await relay.pass();
    const [form] = await relay.forms(relay.link(0));
    const [button] = form?.buttons ?? [];
    if (!form || !button) throw new Error('The page has a form.');
    await relay.signUp(anna, named('Name', 'stranger'), 'weekly');
    await relay.signUp(anna, {}, 'jobs');
    await relay.pass();
    expect((await relay.visit(relay.link(0), 'POST', pressed(form, button))).status).toBe(303);
    await relay.pass();
    expect(relay.delivered()).toEqual([{ email: anna }]);
    expect(relay.recipients()).toHaveLength(2);
    await relay.pass(11 * minute);
    expect(relay.recipients()).toHaveLength(3);
  });

  it('confirms nothing with ids that were not signed for this link, or were cut off', async () => {
    const relay = await twoForms();
    for (const form of ['weekly', 'jobs']) await relay.signUp(anna, {}, form);
    await relay.pass();
    await relay.signUp('eve@example.com', {}, 'weekly');
    await relay.pass();
    const [own] = await relay.forms(relay.link(0));
    const [eves] = await relay.forms(relay.link(1));
    const shown = own?.shown ?? '';
    const ids = shown.split('.');
    for (const bad of [
      '',
      shown.slice(0, -1),
      shown.slice(37),
      ids.slice(0, -1).join('.'),
      [...ids.slice(0, -1), eves?.shown.split('.')[1]].join('.'),
      [eves?.shown.split('.')[0], ...ids].join('.'),
      eves?.shown ?? '',
      'x'.repeat(100_000),
    ]) {
      const fields = new URLSearchParams({ shown: bad });
      for (const choice of ['0.0', '1.0', '0.1']) fields.append('choice', choice);
      const answer = await relay.visit(relay.link(0), 'POST', fields);
      expect([answer.status, formsOf(await answer.text())[0]?.boxes.length]).toEqual([409, 2]);
    }
    for (const choice of ['2.0', '-1.0', '0.1', '0', 'x', '']) {
      const answer = await relay.visit(relay.link(0), 'POST', new URLSearchParams({ shown, choice }));
      expect([choice, answer.status]).toEqual([choice, 409]);
    }
    expect(await relay.store.counts()).toMatchObject({ unconfirmed: 3, waiting: 0 });
  });

  it('without the ids confirms the only signup there is, and otherwise shows the page', async () => {
    const relay = await twoForms();
    await relay.signUp(anna, {}, 'weekly');
    await relay.signUp(anna, {}, 'jobs');
    await relay.signUp('bob@example.com', {}, 'weekly');
    await relay.pass();
    const linkOf = (email: string): string => relay.link(relay.recipients().indexOf(email));
    const refused = await relay.visit(linkOf(anna), 'POST');
    expect([refused.status, formsOf(await refused.text())[0]?.boxes.length]).toEqual([409, 2]);
    expect((await relay.visit(linkOf('bob@example.com'), 'POST')).status).toBe(303);
    expect(await relay.store.counts()).toMatchObject({ unconfirmed: 2, waiting: 1 });
  });

  it('decides once: of two at the same time the second sees what the first has confirmed', async () => {
    const relay = await twoForms();
    for (const name of ['Anna', 'Eve']) await relay.signUp(anna, named('Name', name), 'weekly');
    await relay.pass();
    const [form] = await relay.forms(relay.link(0));
    if (!form) throw new Error('The page has a form.');
    const posts = form.buttons.map((button) => relay.visit(relay.link(0), 'POST', pressed(form, button)));
    expect(posts).toHaveLength(3);
    for (const answer of await Promise.all(posts)) {
      expect(answer.status).toBe(303);
      expect(
        await (await relay.visit(new URL(answer.headers.get('location') ?? '', relay.link(0)).href)).text(),
      ).toContain('Thank you, we have noted it');
    }
    await relay.pass();
    expect(relay.delivered()).toHaveLength(1);
    expect((await relay.store.person(anna)).consents.filter(({ kind }) => kind === 'confirmed')).toHaveLength(1);
  });

  it('shows the page anew if something that it showed is no longer open', async () => {
    const relay = await twoForms();
    for (const form of ['weekly', 'jobs']) await relay.signUp(anna, {}, form);
    await relay.pass();
    const [form] = await relay.forms(relay.link(0));
    const [button] = form?.buttons ?? [];
    const [jobs] = await relay.store.list({ form: 'jobs' }, { limit: 1 });
    if (!form || !button || !jobs) throw new Error('The page has two forms.');
    await relay.store.discard({ ids: [jobs.id] });
    const answer = await relay.visit(
      relay.link(0),
      'POST',
      pressed(form, button, () => true),
    );
    expect([answer.status, formsOf(await answer.text()).map(({ text }) => text)]).toEqual([409, [`weekly ${anna}`]]);
    expect(await relay.store.counts()).toMatchObject({ unconfirmed: 1, waiting: 0 });
  });

  it('leads to the state of what was confirmed where the signup of the mail was left', async () => {
    const relay = await twoForms();
    for (const form of ['weekly', 'jobs']) await relay.signUp(anna, {}, form);
    await relay.pass();
    const ticked = (await relay.forms(relay.link(0)))[0]?.boxes.find(({ checked }) => checked)?.label;
    const answer = await relay.press(relay.link(0), 'Confirm', (label) => label !== ticked);
    const other = await relay.store.list({ states: ['waiting'] }, { limit: 9 });
    expect(answer.headers.get('location')).toBe(signLink(key, other[0]?.id ?? ''));
    expect((await relay.visit(relay.link(0))).status).toBe(200);
  });
});
