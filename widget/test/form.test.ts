import { expect } from '@open-wc/testing';
import { readSubmission } from '@newsletter-kit/core/endpoint';
import { accessible, inScheme, isChromium, Mailbox, mount, mountAt, laterPost } from './harness.ts';
import { inBothModes, itOurs } from './modes.ts';
import { waitUntil } from '../../test/support/waits.ts';

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

inBothModes('<newsletter-signup>', () => {
  describe('at first paint', () => {
    it('shows a labelled email field, a button, and an empty live region', async () => {
      const form = await mountAt(new Mailbox());
      expect(form.labelled('Email address')).to.equal(form.email);
      expect(form.button.textContent).to.equal('Subscribe');
      expect(form.notice.textContent).to.equal('');
      expect(getComputedStyle(form.notice).display).not.to.equal('none');
      expect(form.element.state).to.equal('idle');
    });

    it('moves the focus to its first field', async () => {
      const form = await mountAt(new Mailbox());
      form.element.focus();
      expect(form.hasFocus(form.email)).to.equal(true);
    });

    itOurs('is readable without zooming and easy to hit', async () => {
      const form = await mountAt(
        new Mailbox(),
        '<newsletter-field name="Terms" kind="boolean"></newsletter-field><newsletter-field name="Birthday" kind="date"></newsletter-field>',
      );
      for (const control of [form.email, form.button, form.labelled('Birthday')]) {
        expect(parseFloat(getComputedStyle(control).fontSize)).to.be.at.least(16);
        expect(control.getBoundingClientRect().height).to.be.at.least(44);
      }
      expect(form.find('[part=choice]').getBoundingClientRect().height).to.be.at.least(44);
    });

    itOurs('hides the honeypot field from sight, keyboard and screen readers', async () => {
      const form = await mountAt(new Mailbox());
      const trap = form.find<HTMLInputElement>('[name=hp_field]');
      expect(getComputedStyle(trap).display).to.equal('none');
      form.button.focus();
      await form.press('Tab');
      expect(form.hasFocus(trap)).to.equal(false);
    });
  });

  describe('a signup', () => {
    it('is one request in the documented format', async () => {
      const form = await mountAt(new Mailbox());
      await form.typeAndEnter('Ada.Lovelace+News@Example.COM');
      await form.reaches('success');
      const [request, ...others] = await form.mailbox.received();
      expect(others).to.deep.equal([]);
      expect(request?.headers['content-type']).to.equal('application/json');
      expect(request?.headers['idempotency-key']).to.match(uuid);
      expect(request?.headers['cookie']).to.equal(undefined);
      const read = readSubmission(JSON.parse(request?.body ?? ''));
      expect(read).to.deep.include({ ok: true, suspected: false });
      expect(await form.mailbox.body()).to.deep.equal({ email: 'Ada.Lovelace+News@Example.COM' });
    });

    for (const address of ['ada@bücher.example', 'jürgen@müller.example', '用户@例子.广告', "o'hara+x@mail.example"]) {
      // In Chromium, `type="email"` in the page's form converts an international domain to Punycode.
      (address.startsWith('ada@') ? itOurs : it)(`reaches the endpoint as it was typed: ${address}`, async () => {
        const form = await mountAt(new Mailbox());
        await form.type(form.email, address);
        await form.pressButton('success');
        expect((await form.mailbox.body())['email']).to.equal(address);
      });
    }

    it('replaces the form by the thanks, which get the focus', async () => {
      const form = await mountAt(new Mailbox());
      await form.typeAndEnter();
      await form.reaches('success');
      expect(form.notice.textContent).to.contain('Thank you');
      expect(form.find('form').checkVisibility({ visibilityProperty: true })).to.equal(false);
      const heading = form.find('[part=thanks]');
      expect(form.hasFocus(heading)).to.equal(true);
      expect(getComputedStyle(heading).outlineStyle).to.equal('none');
      expect(form.element.matches(':state(success)')).to.equal(true);
    });

    it('does not move a focus outside the form', async () => {
      const form = await mountAt(new Mailbox());
      await form.signUp();
      expect(form.hasFocus()).to.equal(false);
    });

    it('shows that it is being sent, and keeps the button focusable', async () => {
      const form = await mountAt(new Mailbox('held'));
      form.email.value = 'ada@example.com';
      form.button.focus();
      await form.pressButton('busy');
      expect(form.button.getAttribute('aria-disabled')).to.equal('true');
      await waitUntil('the notice says that the form is being sent', () =>
        expect(form.notice.textContent).to.equal('Sending…'),
      );
      expect(form.hasFocus(form.button)).to.equal(true);
      await form.mailbox.release();
      await form.reaches('success');
    });

    it('is sent once, however often the button is pressed', async () => {
      const form = await mountAt(new Mailbox('slow'));
      await form.type(form.email, 'ada@example.com');
      for (let press = 0; press < 10; press += 1) form.button.click();
      await form.press('Enter');
      await form.submit('success');
      form.element.submit();
      await laterPost();
      expect(await form.mailbox.received()).to.have.lengthOf(1);
    });

    itOurs('contains the honeypot field if it was filled in', async () => {
      const form = await mountAt(new Mailbox());
      form.email.value = 'robot@example.com';
      form.find<HTMLInputElement>('[name=hp_field]').value = 'https://spam.example';
      await form.submit('success');
      expect(await form.mailbox.body()).to.deep.equal({ email: 'robot@example.com', hp_field: 'https://spam.example' });
    });

    it('can be followed by another one after reset()', async () => {
      const form = await mountAt(new Mailbox());
      for (const address of ['ada@example.com', 'bob@example.com']) {
        expect(form.email.value).to.equal('');
        form.email.value = address;
        await form.submit('success');
        form.element.reset();
        await form.reaches('idle');
      }
      const keys = await form.mailbox.keys();
      expect(new Set(keys).size).to.equal(2);
      expect(form.notice.textContent).to.equal('');
    });
  });

  describe('an invalid email address', () => {
    for (const typed of ['', 'ada', 'ada@example', 'ada@example..com']) {
      it(`is not sent: "${typed}"`, async () => {
        const form = await mountAt(new Mailbox());
        if (typed) await form.type(form.email, typed);
        form.button.focus();
        await form.pressButton('error');
        expect(form.description(form.email)).to.equal('Enter an email address like name@example.com.');
        expect(form.email.getAttribute('aria-invalid')).to.equal('true');
        expect(form.hasFocus(form.email)).to.equal(true);
        expect(form.email.value).to.equal(typed);
        expect(await form.mailbox.received()).to.deep.equal([]);
      });
    }

    (isChromium ? it : it.skip)('is read to people who do not see it as label, role and description', async () => {
      const form = await mountAt(new Mailbox());
      await form.pressButton('error');
      expect(await accessible('textbox', 'Email address')).to.deep.include({
        description: 'Enter an email address like name@example.com.',
        invalid: 'true',
        required: true,
        focused: true,
      });
    });

    it('loses its mark when it is corrected', async () => {
      const form = await mountAt(new Mailbox());
      await form.pressButton('error');
      await form.typeAndEnter();
      await form.reaches('success');
      expect(form.email.getAttribute('aria-invalid')).not.to.equal('true');
    });
  });

  describe('an endpoint that refuses', () => {
    for (const [answer, kind, status, notice] of [
      ['refused', 'refused', 400, 'We know no field "Shoe size".'],
      ['markup', 'refused', 400, '<img src=x onerror="document.title=1"><b>bold</b>'],
      ['oddBody', 'refused', 400, 'Not accepted.'],
      ['tooLarge', 'tooLong', 413, 'This is too long.'],
      ['forbidden', 'unavailable', 403, 'This does not work right now.'],
      ['notFound', 'unavailable', 404, 'Please try again later.'],
      ['limitedSilently', 'limited', 429, 'Please try again later.'],
      ['limitedForLong', 'limited', 429, 'Please try again in 10 minutes.'],
      ['limitedByDate', 'limited', 429, 'Please try again in 10 minutes.'],
      ['down', 'unavailable', 503, 'Please try again in 2 minutes.'],
      ['broken', 'unavailable', 500, 'Please try again later.'],
      ['page', 'unavailable', 200, 'This does not work right now.'],
      ['plain', 'unavailable', 200, 'This does not work right now.'],
      ['garbage', 'refused', 400, 'Not accepted. Please check what you entered.'],
      ['nothing', 'unavailable', 500, 'This does not work right now.'],
      ['redirect', 'unavailable', 0, 'This does not work right now.'],
      ['redirectOfPost', 'unavailable', 0, 'This does not work right now.'],
      ['unreadable', 'unreachable', 0, 'We could not be reached.'],
      ['noPreflight', 'unreachable', 0, 'We could not be reached.'],
      ['drop', 'unreachable', 0, 'We could not be reached.'],
    ] as const) {
      it(`causes an error message, and the values are kept: ${answer}`, async () => {
        const form = await mountAt(new Mailbox(answer), '<newsletter-field name="City"></newsletter-field>');
        await form.type(form.email, 'ada@example.com');
        await form.type(form.labelled('City'), 'Köln');
        const heard = form.nextEvent('newsletter-error');
        await form.press('Enter');
        const event = await heard;
        await form.settled();
        expect(event).to.include({ kind, status });
        expect(form.notice.textContent).to.contain(notice);
        expect(form.notice.childElementCount).to.equal(0);
        expect(form.email.value).to.equal('ada@example.com');
        expect(form.labelled('City').value).to.equal('Köln');
        expect(form.hasFocus(form.labelled('City'))).to.equal(true);
        expect(form.button.hasAttribute('aria-disabled')).to.equal(event.retryAfter > 0);
      });
    }

    it('on a closed port causes an error message', async () => {
      const form = await mount('<newsletter-signup endpoint="http://127.0.0.1:9/"></newsletter-signup>');
      await form.signUp('error');
      expect(form.notice.textContent).to.contain('We could not be reached.');
    });
  });

  describe('a second attempt', () => {
    it('has the same key while the values are the same', async () => {
      const form = await mountAt(new Mailbox('broken', 'page', 'accepted'));
      form.email.value = 'ada@example.com';
      for (const state of ['error', 'error', 'success'] as const) {
        const heard = form.nextEvent(state === 'error' ? 'newsletter-error' : 'newsletter-success');
        form.element.submit();
        await heard;
      }
      const [first, second, third] = await form.mailbox.keys();
      expect(first).to.match(uuid);
      expect([second, third]).to.deep.equal([first, first]);
    });

    it('has a new key once a value has changed', async () => {
      const form = await mountAt(new Mailbox('broken', 'accepted'));
      await form.signUp('error');
      await form.signUp('success', 'bob@example.com');
      const keys = await form.mailbox.keys();
      expect(new Set(keys).size).to.equal(2);
    });

    it('waits for Retry-After, and then succeeds', async () => {
      const form = await mountAt(new Mailbox('limitedForThree', 'accepted'));
      await form.signUp('error');
      const heard = form.nextEvent('newsletter-error');
      form.element.submit();
      const { kind, retryAfter } = await heard;
      expect(kind).to.equal('limited');
      expect(retryAfter).to.be.above(0).and.at.most(3);
      expect(await form.mailbox.received()).to.have.lengthOf(1);
      await waitUntil('the wait has ended', () => !form.button.hasAttribute('aria-disabled'));
      await form.submit('success');
      expect(await form.mailbox.received()).to.have.lengthOf(2);
    });
  });

  describe('events', () => {
    it('newsletter-submit can be cancelled', async () => {
      const form = await mountAt(new Mailbox());
      form.element.addEventListener('newsletter-submit', (event) => event.preventDefault());
      form.email.value = 'ada@example.com';
      const submitted = form.nextEvent('newsletter-submit');
      form.element.submit();
      await submitted;
      await form.reaches('idle');
      expect(form.email.value).to.equal('ada@example.com');
      expect(await form.mailbox.received()).to.deep.equal([]);
    });
  });

  describe('texts', () => {
    itOurs('can each be set by an attribute, also later', async () => {
      const form = await mountAt(
        new Mailbox(),
        '',
        'text-button="Abonnieren" text-email-label="E-Mail-Adresse" text-email-placeholder="du@beispiel.de"',
      );
      expect(form.button.textContent).to.equal('Abonnieren');
      expect(form.labelled('E-Mail-Adresse').id).to.equal(form.email.id);
      expect(form.email.placeholder).to.equal('du@beispiel.de');
      form.element.setAttribute('text-button', 'Los');
      await form.settled();
      expect(form.button.textContent).to.equal('Los');
    });

    itOurs('can be set all at once, before or after the element is on the page', async () => {
      const element = document.createElement('newsletter-signup');
      element.messages = { button: 'Abonnieren' };
      const form = await mount('<div></div>').then(async ({ element: parent }) => {
        parent.append(element);
        await element.updateComplete;
        return parent;
      });
      expect(element.shadowRoot?.querySelector('button')?.textContent).to.equal('Abonnieren');
      element.messages = { language: 'de', button: 'Los', limited: 'Bitte {wait} noch einmal.' };
      await element.updateComplete;
      expect(element.shadowRoot?.querySelector('button')?.textContent).to.equal('Los');
      form.remove();
    });

    itOurs('are texts: markup in them is shown, not obeyed', async () => {
      const form = await mountAt(
        new Mailbox(),
        '',
        `text-button="<img src=x onerror='document.title=1'>" text-success="<b>Danke</b>" utm-source="<script>1</script>"`,
      );
      expect(form.button.textContent).to.equal("<img src=x onerror='document.title=1'>");
      await form.signUp();
      expect(form.notice.textContent).to.contain('<b>Danke</b>');
      expect(form.root.querySelectorAll('img, b, script')).to.have.lengthOf(0);
    });

    it('format a waiting time in their language', async () => {
      const form = await mountAt(new Mailbox('down'));
      form.element.messages = { language: 'de', unavailable: 'Bitte {wait} noch einmal.' };
      await form.signUp('error');
      expect(form.notice.textContent).to.equal('Bitte in 2 Minuten noch einmal.');
    });
  });

  describe('accessibility', () => {
    const fields = `
      <newsletter-field name="First name" required></newsletter-field>
      <newsletter-field name="Topics" kind="list" options="AI, Design"></newsletter-field>
      <newsletter-field name="Frequency" options="Daily, Weekly" required></newsletter-field>
      <newsletter-field name="Birthday" kind="date"></newsletter-field>
      <newsletter-field name="I agree to the terms" kind="boolean" required></newsletter-field>`;

    afterEach(() => inScheme('light'));

    for (const scheme of ['light', 'dark'] as const) {
      for (const direction of ['ltr', 'rtl'] as const) {
        it(`has no axe violation in any state: ${scheme}, ${direction}`, async () => {
          await inScheme(scheme);
          const style = 'color-scheme: light dark; color: CanvasText; background: Canvas';
          const form = await mountAt(new Mailbox('broken', 'held'), fields, `dir="${direction}" style="${style}"`);
          await expect(form.element).to.be.accessible();
          await form.submit('error');
          expect(form.root.querySelectorAll('[part=problem]')).to.have.lengthOf(4);
          await expect(form.element).to.be.accessible();
          form.email.value = 'ada@example.com';
          form.labelled('First name').value = 'Ada';
          form.labelled('Weekly').click();
          form.labelled('I agree').click();
          const heard = form.nextEvent('newsletter-error');
          form.element.submit();
          await heard;
          await form.settled();
          await expect(form.element).to.be.accessible();
          await form.submit('busy');
          await expect(form.element).to.be.accessible();
          expect(form.element.state).to.equal('busy');
          await form.mailbox.release();
          await form.reaches('success');
          await expect(form.element).to.be.accessible();
        });
      }
    }

    it('gives the controls of two forms different ids', async () => {
      const [one, other] = [await mountAt(new Mailbox()), await mountAt(new Mailbox())];
      await one.pressButton('error');
      expect(other.email.getAttribute('aria-invalid')).not.to.equal('true');
      expect(one.description(one.email)).to.equal('Enter an email address like name@example.com.');
    });
  });
});
