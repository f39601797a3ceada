/** Which answers of a consent banner let visits be stored, in any order of banner, form and script. */
import { expect } from '@open-wc/testing';
import { nextTask } from './harness.ts';
import { openFrame } from './page.ts';
import { waitUntil } from '../../test/support/waits.ts';

const key = 'newsletter-signup-1';
const old = `t:${Date.now() - 1000}?utm_source=old`;

/** An answer as a page gives it, and whether it grants the consent. */
const answers: readonly (readonly [title: string, answer: unknown, grants: boolean])[] = [
  ['true', true, true],
  [`'granted'`, 'granted', true],
  ['false', false, false],
  [`'denied'`, 'denied', false],
  [`'true'`, 'true', false],
  ['1', 1, false],
  ['0', 0, false],
  ['undefined', undefined, false],
  ['null', null, false],
  ['an object', { marketing: true }, false],
  ['a list', ['granted'], false],
];

/** A kind of storage: its attributes, and its text. */
interface Store {
  readonly attributes: DOMStringMap;
  read(): string;
  write(text: string): void;
}

const stores: Readonly<Record<string, Store>> = {
  'local storage': {
    attributes: {},
    read: () => localStorage.getItem(key) ?? '',
    write: (text) => localStorage.setItem(key, text),
  },
  'session storage': {
    attributes: { storage: 'session' },
    read: () => sessionStorage.getItem(key) ?? '',
    write: (text) => sessionStorage.setItem(key, text),
  },
  'a cookie': {
    attributes: { cookieDomain: location.hostname },
    read: () => document.cookie,
    write: (text) => (document.cookie = `${key}=${text};Path=/;Domain=${location.hostname}`),
  },
};

/** WebKit refuses a cookie with the domain `localhost`; `landing.slow.test.ts` has cookies in every engine. */
const acceptsCookie = ((): boolean => {
  stores['a cookie']?.write('test');
  return document.cookie.includes(key);
})();

function clear(): void {
  localStorage.clear();
  sessionStorage.clear();
  document.cookie = `${key}=;Max-Age=0;Path=/;Domain=${location.hostname}`;
}

/** A page with a campaign in its address. */
class Landing {
  readonly #frame: HTMLIFrameElement;
  static async open(query = '?utm_source=fair'): Promise<Landing> {
    return new Landing(await openFrame(`/widget/test/pages/empty.html${query}`));
  }
  constructor(frame: HTMLIFrameElement) {
    this.#frame = frame;
  }
  get window(): Window & typeof globalThis {
    return this.#frame.contentWindow as Window & typeof globalThis;
  }
  /** The line of a banner. */
  answer(value: unknown): void {
    const { window } = this;
    (window.newsletterConsent ??= []).push(value);
  }
  send(detail?: unknown): void {
    this.window.document.dispatchEvent(new CustomEvent('newsletter-consent', { detail }));
  }
  async load(file: string, attributes: DOMStringMap = {}): Promise<void> {
    const script = this.window.document.createElement('script');
    Object.assign(script.dataset, attributes);
    if (file === 'remember.js') script.type = 'module';
    const loaded = new Promise((resolve) => script.addEventListener('load', resolve));
    script.src = `/widget/dist/${file}`;
    this.window.document.head.append(script);
    await loaded;
  }
  addForm(attributes: DOMStringMap): void {
    const form = this.window.document.createElement('newsletter-signup');
    for (const [name, value = ''] of Object.entries(attributes))
      form.setAttribute(name.replace(/[A-Z]/g, '-$&'), value);
    this.window.document.body.append(form);
  }
}

/** The pages: the script, and who says how visits are stored. */
const pages: Readonly<Record<string, (page: Landing, attributes: DOMStringMap) => Promise<void>>> = {
  'signup-form.js with a form': async (page, attributes) => {
    page.addForm(attributes);
    await page.load('signup-form.js');
  },
  'signup-form.js without a form': (page, attributes) => page.load('signup-form.js', attributes),
  'signup-landing.js': (page, attributes) => page.load('signup-landing.js', attributes),
  'three scripts': async (page, attributes) => {
    await page.load('signup-landing.js', attributes);
    page.addForm(attributes);
    await page.load('signup-form.js', attributes);
    await page.load('signup-form-complete.js', attributes);
  },
};

describe('the consent', () => {
  beforeEach(clear);
  after(clear);

  for (const [pageTitle, open] of Object.entries(pages)) {
    for (const [storeTitle, { attributes, read, write }] of Object.entries(stores)) {
      if (storeTitle === 'a cookie' && !acceptsCookie) continue;
      describe(`${pageTitle}, stored in ${storeTitle}`, () => {
        for (const [title, answer, grants] of answers) {
          for (const isEarly of [true, false]) {
            it(`${title} ${isEarly ? 'before' : 'after'} the script ${grants ? 'grants' : 'revokes'} it`, async () => {
              write(old);
              const page = await Landing.open();
              await page.load('remember.js');
              if (isEarly) page.answer(answer);
              await open(page, attributes);
              if (!isEarly) page.answer(answer);
              if (grants) {
                await waitUntil('the new visit is stored', () => expect(read()).to.contain('utm_source=fair'));
                expect(read()).to.contain('utm_source=old');
              } else {
                await waitUntil('nothing is stored', () => expect(read()).to.equal(''));
                await nextTask();
                expect(read()).to.equal('');
              }
              for (const store of Object.values(stores)) if (store.read !== read) expect(store.read()).to.equal('');
            });
          }
        }
      });
    }
  }

  it('is taken from the last of several answers, and from every later one', async () => {
    const { read } = stores['local storage'] as Store;
    const page = await Landing.open();
    page.answer('granted');
    page.answer('denied');
    await page.load('signup-landing.js');
    page.answer('granted');
    await waitUntil('the visit is stored', () => expect(read()).to.contain('fair'));
    page.answer('denied');
    expect(read()).to.equal('');
    page.send(true);
    await waitUntil('the visit is stored', () => expect(read()).to.contain('fair'));
    page.send();
    expect(read()).to.equal('');
  });

  it('reaches a copy of the script that comes after an answer to another copy', async () => {
    const { read } = stores['local storage'] as Store;
    const page = await Landing.open();
    await page.load('signup-landing.js', { storage: 'none' });
    page.send('granted');
    await page.load('signup-form.js');
    await waitUntil('the visit is stored', () => expect(read()).to.contain('fair'));
  });

  it('downloads the code that stores, and no visitor without it does', async () => {
    const page = await Landing.open();
    const files = (): string[] =>
      page.window.performance
        .getEntriesByType('resource')
        .flatMap(({ name }) => /(?<=\/dist\/)[\w-]+\.js/.exec(name) ?? []);
    await page.load('signup-form.js');
    page.answer('denied');
    await page.load('signup.js');
    expect(files()).to.deep.equal(['signup-form.js', 'signup.js']);
    page.answer('granted');
    await waitUntil('remember.js is loaded', () => expect(files()).to.include('remember.js'));
  });

  it('may be no list, as of a page that sets the answer itself', async () => {
    const page = await Landing.open();
    Reflect.set(page.window, 'newsletterConsent', 'granted');
    await page.load('signup-landing.js');
    await waitUntil('something is stored', () => localStorage.getItem(key));
  });

  it('does not come from an element of the page with that name', async () => {
    localStorage.setItem(key, old);
    const page = await Landing.open();
    page.window.document.body.innerHTML = '<a id="newsletterConsent"></a>';
    await page.load('signup-landing.js');
    expect(localStorage.length).to.equal(0);
  });
});
