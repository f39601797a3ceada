/** A form in a frame without `allow-forms`, where browsers dispatch no submit event. */
import { describe, expect, it } from 'vitest';
import { modes, pageWith } from './modes.ts';
import { setStage } from './stage.ts';
import { waitUntil } from '../support/waits.ts';

const stage = setStage();

async function received(box: string): Promise<readonly { readonly body: string }[]> {
  return (await fetch(`${stage().origin}/received/${box}`)).json() as Promise<readonly { body: string }[]>;
}

describe.each(modes)('$title in a frame that must not submit forms', ({ markup, root }) => {
  /** Opens the page in a frame, types an address, and presses Enter. */
  async function submit(script = '') {
    const { site, session, origin } = stage();
    const box = crypto.randomUUID();
    const inner = site.page(`/${box}/inner`, {
      html: `${pageWith(markup(`${origin}/signup/${box}/accepted`))}<script>${script}</script>`,
    });
    const page = await session.browser.newPage();
    await page.goto(
      site.page(`/${box}`, {
        html: `<!doctype html><title>Frame</title><iframe sandbox="allow-scripts allow-same-origin" src="${inner}"></iframe>`,
      }),
    );
    const frame = page.frames()[1];
    if (!frame) throw new Error('There is no frame.');
    await frame.waitForFunction(`${root}?.querySelector('[name=email]')`);
    await frame.evaluate(`${root}.querySelector('[name=email]').focus()`);
    await page.keyboard.type('ada@example.com');
    await page.keyboard.press('Enter');
    return {
      box,
      state: () => frame.evaluate(`document.querySelector('newsletter-signup').state`),
      /** What the click would have started has begun then. */
      nextTask: () => frame.evaluate('new Promise((resolve) => setTimeout(resolve))'),
    };
  }

  it('is sent once by Enter', async () => {
    const { box, state } = await submit();
    await waitUntil('the form succeeds', async () => (await state()) === 'success');
    expect((await received(box)).map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
      { email: 'ada@example.com' },
    ]);
  });

  it('is not sent if a listener of the page cancels the click', async () => {
    const { box, state, nextTask } = await submit(
      `addEventListener('click', (event) => event.preventDefault(), { capture: true });`,
    );
    await nextTask();
    expect(await state()).toBe('idle');
    expect(await received(box)).toEqual([]);
  });
});
