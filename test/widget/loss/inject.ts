/** Signs up in frames of a page, one for each fault, and compares what becomes of each signup. */
import type { Page } from 'puppeteer-core';
import { describe, expect, it } from 'vitest';
import type { NewsletterSignup } from '../../../widget/src/index.ts';
import type { Received } from '../../../widget/test/endpoint.ts';
import type { Site } from '../site.ts';
import { setStage } from '../stage.ts';
import { faultCode, type Faults } from './faults.ts';
import { doors, type Door } from './walk.ts';

/** What the visitor types, what the endpoint answers, and what the visitor reads if nothing fails. */
export interface Story {
  readonly title: string;
  readonly typed: string;
  readonly plan: string;
  readonly usual: string;
}

export const stories: readonly Story[] = [
  { title: 'a signup', typed: 'ada@example.com', plan: 'accepted', usual: 'Thank you.' },
  { title: 'a refused signup', typed: 'ada@example.com', plan: 'refused,accepted', usual: 'We know no field' },
  { title: 'an invalid address', typed: 'ada', plan: 'accepted', usual: 'Enter an email address' },
];

/** What became of a signup with a fault. */
export interface Fate {
  readonly at: number;
  /** The function that threw. */
  readonly name: string;
  /** `natively` if the browser has posted the form; else what the visitor reads; empty if that is nothing. */
  readonly read: string;
  /** What the visitor reads after the address is corrected and the button pressed again; empty after a success. */
  readonly again: string;
  /** Content types of the posts. */
  readonly posts: readonly string[];
  /** Number of idempotency keys. */
  readonly keys: number;
}

interface Usual extends Fate {
  /** Calls that can fail. */
  readonly count: number;
  /** The first call at each place in the source. */
  readonly places: readonly number[];
}

/** In how many tests all calls are tried: each fault takes a tenth of a second. */
const shares = 16;

/**
 * Registers a test for each story and door.
 *
 * @param extent - a fault at every call, or at the first call of each place in the source
 */
export function describeFaults(chosen: readonly Story[], extent: 'calls' | 'places'): void {
  const stage = setStage();
  const offsets = Array.from({ length: extent === 'calls' ? shares : 1 }, (_, offset) => offset);
  describe.each(chosen)('$title', (story) => {
    describe.each(doors)('$title', ({ door }) => {
      it.each(offsets)('is not lost (%i)', async (offset) => {
        const { site, session, origin } = stage();
        const signUpAll = publishFaults(site, origin, door, story);
        const page = await session.browser.newPage();
        const around = '<!doctype html><link rel="icon" href="data:,"><title>Around</title>';
        await page.goto(site.page('/around', { html: around }));
        const [usual] = await signUpAll(page, [0]);
        expect(usual?.read).toContain(story.usual);
        const { count = 0, places = [] } = usual ?? {};
        const calls = extent === 'places' ? places : Array.from({ length: count }, (_, call) => call + 1);
        expect(calls.length).toBeGreaterThan(100);
        const wanted = calls.filter((call) => extent === 'places' || call % shares === offset);
        const fates: Fate[] = [];
        // In parts: the driver ends an evaluation after three minutes.
        for (let at = 0; at < wanted.length; at += 32)
          fates.push(...(await signUpAll(page, wanted.slice(at, at + 32))));
        expect(fates.filter(isLoss)).toEqual([]);
      });
    });
  });
}

/** Whether something is lost, or sent as two signups. */
function isLoss({ read, again, posts, keys }: Fate): boolean {
  if (read === 'natively') return !(posts.length === 1 && posts[0]?.includes('urlencoded'));
  if (read.startsWith('Thank you.')) return !(posts.length > 0 && keys === 1);
  return !read || !again || posts.length === 0;
}

/** Puts the page of a door on the site. @returns a function that signs up in it, with a fault at each of these calls */
function publishFaults(
  site: Site,
  origin: string,
  door: Door,
  { plan, typed, usual }: Story,
): (page: Page, calls: readonly number[]) => Promise<readonly Usual[]> {
  const markup =
    door === 'own'
      ? '<newsletter-signup><form method="post"><label>Email <input name="email"></label><button>Join</button></form></newsletter-signup>'
      : '<newsletter-signup></newsletter-signup>';
  const address = site.page(`/faults-${door}-${plan}`, {
    html: `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>A page</title>
      <script>${faultCode(`Number(new URLSearchParams(location.search).get('at'))`)}</script>${markup}
      <script>for (const [name, selector] of [['action', 'form'], ['endpoint', 'newsletter-signup:empty']])
        document.querySelector(selector)?.setAttribute(name, new URLSearchParams(location.search).get('endpoint'))</script>
      <script src="/signup-form.js"></script></html>`,
  });
  return async (page, calls) => {
    const values = { address, origin, plan, typed, usual, isOwn: door === 'own', calls };
    return (await page.evaluate(`(${signUp.toString()})(${JSON.stringify(values)})`)) as readonly Usual[];
  };
}

/** Runs in the page around the frames, so that the faults do not reach it. */
async function signUp({
  address,
  origin,
  plan,
  typed,
  usual,
  isOwn,
  calls,
}: {
  readonly address: string;
  readonly origin: string;
  readonly plan: string;
  readonly typed: string;
  readonly usual: string;
  readonly isOwn: boolean;
  readonly calls: readonly number[];
}): Promise<readonly Usual[]> {
  const pause = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 5));

  async function signUpWith(at: number): Promise<Usual> {
    const box = crypto.randomUUID();
    const frame = document.createElement('iframe');
    const arrived = (): Promise<unknown> =>
      new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
    const opened = arrived();
    frame.src = `${address}?${new URLSearchParams({ at: String(at), endpoint: `${origin}/signup/${box}/${plan}` })}`;
    document.body.append(frame);
    await opened;
    let isLeft = false;
    void arrived().then(() => (isLeft = true));
    const { faults } = frame.contentWindow as unknown as { faults: Faults };
    const host = frame.contentDocument?.querySelector<NewsletterSignup>('newsletter-signup');
    if (!host) throw new Error('There is no form.');
    await host.updateComplete;
    const root = isOwn ? host : host.shadowRoot;
    const email = root?.querySelector<HTMLInputElement>('[name=email]');

    /** What the visitor reads once the form waits for nothing. */
    const read = (): string => {
      if (isLeft) return 'natively';
      const { isArmed } = faults;
      faults.isArmed = false;
      const notice = host.shadowRoot?.querySelector('[role=status]')?.textContent.trim() ?? '';
      const problem = root?.querySelector('[part=problem]')?.textContent ?? '';
      const isKept = Boolean(email?.value);
      faults.isArmed = isArmed;
      if (host.state === 'success') return notice.startsWith('Thank you.') ? notice : '';
      return host.state === 'error' && isKept ? notice || problem : '';
    };
    const press = (text: string): void => {
      if (email) email.value = text;
      root?.querySelector('button')?.click();
    };
    const settled = async (isEnd: (text: string) => boolean): Promise<string> => {
      for (const end = Date.now() + 30_000; !isEnd(read()) && Date.now() < end;) await pause();
      return isEnd(read()) ? read() : '';
    };

    press(typed);
    const first = await settled(Boolean);
    faults.isArmed = false;
    const { count, name } = faults;
    const places = Object.values(faults.places);
    const isOver = first === 'natively' || first.startsWith('Thank you.');
    if (!isOver) press('ada@example.com');
    // Where nothing was sent at first, it is the second post that the endpoint answers as the story says.
    const isAnswer = (text: string): boolean => text.includes(usual) && !first.includes(usual);
    const again = isOver
      ? ''
      : await settled((text) => text === 'natively' || text.startsWith('Thank you.') || isAnswer(text));
    const received = (await (await fetch(`${origin}/received/${box}`)).json()) as readonly Received[];
    frame.remove();
    return {
      at,
      name,
      count,
      places,
      read: first,
      again,
      posts: received.map(({ headers }) => String(headers['content-type'])),
      keys: new Set(received.map(({ headers }) => headers['idempotency-key'])).size,
    };
  }

  const fates: Usual[] = [];
  const left = [...calls];
  const work = async (): Promise<void> => {
    for (let at = left.shift(); at !== undefined; at = left.shift()) fates.push(await signUpWith(at));
  };
  await Promise.all([work(), work(), work(), work()]);
  return fates;
}
