import { expect } from '@open-wc/testing';
import type { Turnstile } from '../src/protection.ts';
import { Mailbox, mountAt, type Form } from './harness.ts';
import { inBothModes } from './modes.ts';
import { openPage } from './page.ts';
import { waitUntil } from '../../test/support/waits.ts';

/** Stops timers of this length, in milliseconds, until the test ends them. */
function holdTimer(length: number): { hasBegun(): boolean; end(): void; restore(): void } {
  const { setTimeout } = globalThis;
  const held: (() => void)[] = [];
  Reflect.set(globalThis, 'setTimeout', (run: () => void, ms: number, ...more: unknown[]) =>
    ms === length ? held.push(run) : setTimeout(run, ms, ...more),
  );
  return {
    hasBegun: () => held.length > 0,
    end: () => held.splice(0).forEach((run) => run()),
    restore: () => void Reflect.set(globalThis, 'setTimeout', setTimeout),
  };
}

inBothModes('an endpoint that asks for a check', () => {
  it('gets its token back after the wait, with the same signup', async () => {
    const form = await mountAt(new Mailbox('asksToken', 'accepted'), '', 'utm-source="blog"');
    const entry = { email: 'ada@example.com', utm_source: 'blog' };
    const wait = holdTimer(300);
    try {
      await form.typeAndEnter();
      await waitUntil('the form waits', wait.hasBegun);
      expect(await form.mailbox.bodies()).to.deep.equal([entry]);
      wait.end();
      await form.reaches('success');
    } finally {
      wait.restore();
    }
    expect(await form.mailbox.bodies()).to.deep.equal([entry, { ...entry, token: 'signed.token' }]);
    expect(new Set(await form.mailbox.keys()).size).to.equal(1);
  });

  it('gets a proof of work that ALTCHA’s library accepts, while the page stays responsive', async () => {
    const form = await mountAt(new Mailbox('asksProof'));
    let beats = 0;
    const heart = setInterval(() => (beats += 1), 1);
    const notices = form.recordNotices();
    await form.typeAndEnter();
    await form.reaches('success');
    clearInterval(heart);
    expect(notices[0]?.text).to.equal('Sending…');
    const [first, second, ...more] = await form.mailbox.bodies();
    expect(more).to.deep.equal([]);
    expect(first).to.deep.equal({ email: 'ada@example.com' });
    expect(second?.['proof']).to.be.a('string');
    expect(new Set(await form.mailbox.keys()).size).to.equal(1);
    expect(beats).to.be.above(3);
  });

  it('gets a proof of work with the algorithm of the relay', async () => {
    const form = await mountAt(new Mailbox('asksSlowProof'));
    await form.typeAndEnter();
    await form.reaches('success');
  });

  it('is answered at most twice', async () => {
    const form = await mountAt(new Mailbox('asksToken'), '<newsletter-field name="City"></newsletter-field>');
    form.labelled('City').value = 'Köln';
    await form.typeAndEnter();
    await form.reaches('error');
    expect(await form.mailbox.received()).to.have.lengthOf(3);
    expect(form.notice.textContent).to.equal('This does not work right now. Please try again later.');
    expect([form.email.value, form.labelled('City').value]).to.deep.equal(['ada@example.com', 'Köln']);
  });

  it('gets its proof uncut: a long campaign is shortened instead', async () => {
    const form = await mountAt(
      new Mailbox('asksProof'),
      '',
      ['source', 'medium', 'campaign', 'term', 'content'].map((name) => `utm-${name}="${'ü'.repeat(800)}"`).join(' '),
    );
    await form.typeAndEnter();
    await form.reaches('success');
    for (const { body } of await form.mailbox.received())
      expect(new TextEncoder().encode(body).length).to.be.at.most(8192);
  });

  for (const [what, answer] of [
    ['an unsupported proof of work', 'asksTooMuch'],
    ['an invalid check', 'asksOddly'],
  ] as const) {
    it(`and asks for ${what}, makes the form say that it does not work now, and keep its values`, async () => {
      const form = await mountAt(new Mailbox(answer));
      await form.typeAndEnter();
      await form.reaches('error');
      expect(form.notice.textContent).to.equal('This does not work right now. Please try again later.');
      expect(form.email.value).to.equal('ada@example.com');
    });
  }

  it('causes a warning if the form cannot do what it asks for', async () => {
    const form = await mountAt(new Mailbox('asksTooMuch'));
    const heard = form.nextEvent('newsletter-warning');
    await form.typeAndEnter();
    const { reason, message } = await heard;
    expect(reason).to.equal('ask');
    expect(message).to.contain('Unsupported algorithm: ROT13').and.not.to.contain('ada');
  });

  describe('with Turnstile', () => {
    const script = 'turnstile-script="/widget/test/pages/turnstile.js"';
    const widgetOf = (form: Form): HTMLElement | null => form.element.querySelector('[slot=turnstile]');

    /** Waits for Turnstile, and returns its button. */
    async function check(form: Form): Promise<HTMLButtonElement> {
      const button = (): HTMLButtonElement | null | undefined => widgetOf(form)?.querySelector('button');
      await waitUntil('Turnstile is on the page', () => button() ?? null);
      return button() ?? expect.fail('Turnstile has gone.');
    }

    afterEach(() => {
      globalThis.turnstile = undefined;
    });

    it('is rendered once in the light DOM, visible, and its token is sent', async () => {
      const form = await mountAt(new Mailbox('asksTurnstile', 'accepted'), '', script);
      expect(globalThis.turnstile).to.equal(undefined);
      await form.typeAndEnter();
      const button = await check(form);
      expect(button.checkVisibility()).to.equal(true);
      expect(button.getBoundingClientRect().height).to.be.above(0);
      const place = widgetOf(form);
      form.element.setAttribute('text-busy', 'Hold on…');
      await form.settled();
      expect(widgetOf(form)).to.equal(place);
      expect(place?.querySelector('button')).to.equal(button);
      button.click();
      await form.reaches('success');
      expect((await form.mailbox.bodies())[1]).to.deep.equal({
        email: 'ada@example.com',
        token: 'signed.token',
        proof: 'token of site-key',
      });
      expect(widgetOf(form)).to.equal(null);
      expect(document.querySelector('script[src$="turnstile.js"]')).to.equal(null);
    });

    it('is shown again if the endpoint refuses the first token', async () => {
      const form = await mountAt(new Mailbox('asksTurnstile', 'asksTurnstile', 'accepted'), '', script);
      await form.typeAndEnter();
      const first = await check(form);
      first.click();
      await waitUntil('the first Turnstile has left the page', () => !widgetOf(form)?.contains(first));
      (await check(form)).click();
      await form.reaches('success');
      expect(await form.mailbox.received()).to.have.lengthOf(3);
    });

    it('uses a script that the page has loaded itself', async () => {
      globalThis.turnstile = {
        render: (_, { callback }) => (typeof callback === 'function' && callback('of the page'), 'id'),
        remove: () => {},
      } satisfies Turnstile;
      const form = await mountAt(new Mailbox('asksTurnstile', 'accepted'));
      await form.typeAndEnter();
      await form.reaches('success');
      expect((await form.mailbox.bodies())[1]?.['proof']).to.equal('of the page');
    });

    for (const [what, address] of [
      ['cannot be loaded', '/nowhere/turnstile.js'],
      ['fails', '/widget/test/pages/turnstile.js?fails'],
    ] as const) {
      it(`keeps the typed values if it ${what}, and can be tried again`, async () => {
        const form = await mountAt(
          new Mailbox('asksTurnstile', 'asksTurnstile', 'accepted'),
          '',
          `turnstile-script="${address}"`,
        );
        await form.typeAndEnter();
        await form.reaches('error');
        expect(form.notice.textContent).to.equal('This does not work right now. Please try again later.');
        expect(form.email.value).to.equal('ada@example.com');
        expect(widgetOf(form)).to.equal(null);
        globalThis.turnstile = undefined;
        form.element.setAttribute('turnstile-script', '/widget/test/pages/turnstile.js?again');
        form.element.submit();
        (await check(form)).click();
        await form.reaches('success');
        expect(new Set(await form.mailbox.keys()).size).to.equal(1);
      });
    }
  });
});

describe('the built script, asked for a check,', () => {
  const loaded = (window: Window): string[] =>
    window.performance
      .getEntriesByType('resource')
      .map(({ name }) => new URL(name).pathname)
      .filter((path) => path.startsWith('/widget/dist/'));

  it('loads the files for the check from its own folder, and only then', async () => {
    const page = await openPage('/widget/test/pages/landing.html', new Mailbox('asksProof'));
    expect(loaded(page.window)).to.deep.equal(['/widget/dist/signup-form.js']);
    await page.form.signUp();
    expect(loaded(page.window)).to.deep.equal([
      '/widget/dist/signup-form.js',
      '/widget/dist/signup.js',
      '/widget/dist/answer.js',
      '/widget/dist/protection.js',
      '/widget/dist/proof.js',
    ]);
  });

  it('loads only signup.js if the endpoint asks for nothing', async () => {
    const page = await openPage('/widget/test/pages/landing.html');
    await page.form.signUp();
    expect(loaded(page.window)).to.deep.equal(['/widget/dist/signup-form.js', '/widget/dist/signup.js']);
  });

  it('solves a proof of work under a policy that allows only its own files, and with Trusted Types', async () => {
    const page = await openPage('/widget/test/pages/strict.html', new Mailbox('asksProof'));
    await page.form.signUp();
  });

  it('shows Turnstile under that policy', async () => {
    const { form } = await openPage('/widget/test/pages/strict.html', new Mailbox('asksTurnstile', 'accepted'));
    form.email.value = 'ada@example.com';
    form.element.submit();
    const button = (): HTMLButtonElement | null => form.element.querySelector('[slot=turnstile] button');
    await waitUntil('Turnstile is on the page', () => button() ?? null);
    button()?.click();
    await form.reaches('success');
    expect((await form.mailbox.bodies())[1]?.['proof']).to.equal('token of site-key');
  });

  for (const page of ['module.html', 'clobbered.html']) {
    it(`on a page of another kind: ${page}`, async () => {
      const { form } = await openPage(`/widget/test/pages/${page}`, new Mailbox('asksToken', 'accepted'));
      await form.signUp();
    });
  }
});
