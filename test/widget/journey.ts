/** Takes the forms of a page through every state; the test controls connection, answers and clock. */
import type { HTTPRequest, Page } from 'puppeteer-core';

/** The answers of the endpoint, in the order of the steps. */
export const answers = 'limited,broken,badEmail,asksTurnstile,accepted';

/**
 * How forms are sent: with Enter on the button or in the email field, or by a script of the page, several at once.
 */
export type Way = 'button' | 'email' | 'script';

export interface Step {
  /** Name of the step. */
  readonly name: string;
  /** The state of the element after it. */
  readonly state: 'idle' | 'busy' | 'error' | 'success';
  readonly take: (hands: Hands) => Promise<void>;
}

/** The actions of a step. */
export interface Hands {
  readonly page: Page;
  /** Fills in every required field. */
  fill(): Promise<void>;
  /** Sends every form. */
  send(): Promise<void>;
  /** Holds back requests from now on. */
  hold(): void;
  /** Sends the held requests. */
  release(): Promise<void>;
  /** Advances the clock of the page. */
  pass(seconds: number): Promise<void>;
}

export const steps: readonly Step[] = [
  { name: 'idle', state: 'idle', take: async () => {} },
  { name: 'invalid', state: 'error', take: ({ send }) => send() },
  {
    name: 'pending',
    state: 'busy',
    take: async ({ fill, hold, send }) => {
      await fill();
      hold();
      await send();
    },
  },
  { name: 'limited', state: 'error', take: ({ release }) => release() },
  { name: 'limited, a second later', state: 'error', take: ({ pass }) => pass(1) },
  { name: 'limited no more', state: 'error', take: ({ pass }) => pass(1) },
  {
    name: 'offline',
    state: 'error',
    take: async ({ page, send }) => {
      await page.setOfflineMode(true);
      await page.waitForFunction('!navigator.onLine');
      await send();
    },
  },
  { name: 'failed', state: 'error', take: ({ page }) => page.setOfflineMode(false) },
  { name: 'address refused', state: 'error', take: ({ send }) => send() },
  {
    name: 'asked for a check',
    state: 'busy',
    take: async ({ page, send }) => {
      await send();
      await page.waitForFunction(`forms.every((form) => form.querySelector('[slot=turnstile] button'))`);
    },
  },
  {
    name: 'success',
    state: 'success',
    take: ({ page }) =>
      page.evaluate(`forms.forEach((form) => form.querySelector('[slot=turnstile] button').click())`).then(() => {}),
  },
];

const opens = ({ page }: Hands, isOpen: boolean): Promise<unknown> =>
  page.waitForFunction(`forms.every((form) => form.hasAttribute('open') === ${isOpen})`);

/** The steps of a dialog. */
export const dialogSteps: readonly Step[] = [
  { name: 'closed', state: 'idle', take: async () => {} },
  {
    name: 'open',
    state: 'idle',
    take: async (hands) => {
      await hands.page.evaluate(`document.querySelector('[slot=trigger]').focus()`);
      await hands.page.keyboard.press('Enter');
      await opens(hands, true);
    },
  },
  { name: 'invalid', state: 'error', take: ({ send }) => send() },
  {
    name: 'success',
    state: 'success',
    take: async ({ fill, send }) => {
      await fill();
      await send();
    },
  },
  {
    name: 'closed again',
    state: 'idle',
    take: async (hands) => {
      await hands.page.keyboard.press('Escape');
      await opens(hands, false);
    },
  },
];

/**
 * Runs in the page before its scripts. Stops the clock: timers of half a second or more wait for `pass`. `heard` has
 * the announcements of live regions; `lost` counts the frames without a focus after there was one.
 */
const prologue = `
  {
    const began = Date.now();
    let passed = 0;
    Date.now = () => began + passed;
    const { setTimeout: wait, clearTimeout: forget } = globalThis;
    const due = new Map();
    let last = 0;
    globalThis.setTimeout = (then, delay = 0, ...given) => {
      if (delay < 500) return wait(then, delay, ...given);
      due.set((last -= 1), { at: passed + delay, run: () => then(...given) });
      return last;
    };
    globalThis.clearTimeout = (id) => void (due.delete(id) || forget(id));
    globalThis.pass = (milliseconds) => {
      passed += milliseconds;
      for (const [id, { at, run }] of due) if (at <= passed && due.delete(id)) run();
    };
  }
  globalThis.forms = [];
  globalThis.heard = [];
  globalThis.lost = 0;
  globalThis.partOf = (form, selector) => form.querySelector(':scope > form ' + selector) ?? form.shadowRoot.querySelector(selector);
  globalThis.regionOf = (form) => form.shadowRoot.querySelector('[role=status]');
  globalThis.focused = () => {
    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    return active;
  };
  /** The state of a form and its notice. */
  globalThis.standing = (form) => form.state + ': ' + regionOf(form).textContent;
  globalThis.regions = new Map();
  {
    let hadFocus = false;
    requestAnimationFrame(function frame() {
      // The first frame with the form: its content at first paint.
      for (const form of document.querySelectorAll('newsletter-signup')) {
        if (regions.has(form) || !form.shadowRoot?.querySelector(form.layout === 'dialog' ? 'dialog' : '[part=surface]')) continue;
        const region = regionOf(form);
        regions.set(form, { region, text: region?.textContent });
        forms.push(form);
        // Screen readers announce changes of a region while it is live.
        new MutationObserver(() => {
          const { ariaLive, textContent } = regionOf(form) ?? {};
          if (textContent && ariaLive !== 'off' && heard.at(-1) !== textContent) heard.push(textContent);
        }).observe(form.shadowRoot, { childList: true, characterData: true, subtree: true });
      }
      const hasFocus = focused() !== document.body;
      if (hadFocus && !hasFocus) lost += 1;
      hadFocus = hasFocus;
      requestAnimationFrame(frame);
    });
  }`;

/** Makes a page ready for the walk, before it is opened. */
export async function prepare(page: Page, way: Way = 'button'): Promise<Hands> {
  await page.evaluateOnNewDocument(prologue);
  const devtools = await page.createCDPSession();
  await devtools.send('Emulation.setFocusEmulationEnabled', { enabled: true });
  let held: HTTPRequest[] | undefined;
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    if (held && request.method() === 'POST') held.push(request);
    else void request.continue();
  });
  return {
    page,
    fill: async () =>
      void (await page.evaluate(`for (const form of forms) {
        partOf(form, '[name=email]').value = 'ada@example.com';
        for (const input of [...(form.querySelector('form') ?? form.shadowRoot).querySelectorAll('[required]')]) {
          if (input.type === 'checkbox') input.checked = true;
          else if (input.name !== 'email') input.value = 'Ada';
        }
      }`)),
    async send() {
      if (way === 'script') return void (await page.evaluate('forms.forEach((form) => form.submit())'));
      await page.evaluate(`partOf(forms[0], '${way === 'email' ? '[name=email]' : 'button'}').focus()`);
      await page.keyboard.press('Enter');
    },
    hold: () => void (held = []),
    async release() {
      const requests = held ?? [];
      held = undefined;
      for (const request of requests) await request.continue();
    },
    pass: async (seconds) => void (await page.evaluate(`pass(${seconds * 1000})`)),
  };
}

/** Takes one step, and waits until every form on the page shows it. */
export async function walk(hands: Hands, { name, state, take }: Step): Promise<void> {
  const { page } = hands;
  const before = JSON.stringify(await page.evaluate(`forms.map(standing)`));
  await take(hands);
  if (state === 'idle') return;
  await page
    .waitForFunction(
      `forms.every((form, position) => form.state === '${state}' && standing(form) !== ${before}[position])`,
    )
    .catch(async (cause: unknown) => {
      throw new Error(
        `Before the step “${name}” ended, the forms were ${JSON.stringify(await page.evaluate('forms.map(standing)'))}.`,
        { cause },
      );
    });
}
