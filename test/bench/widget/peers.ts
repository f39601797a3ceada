/** The code that a site puts on its page for a signup form: ours, and that of two peers as their packages ship it. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export interface Peer {
  readonly name: string;
  /** The file of its script tag. */
  readonly file: string;
  /** How its own documents put it on a page; `SCRIPT` stands for the file's address, `SITE` for that of its server. */
  readonly markup: string;
  /** An expression that is true once its script has run and its form is there. */
  readonly isThere: string;
}

const readme = new URL('../../../README.md', import.meta.url);
const installed = (path: string): string => fileURLToPath(import.meta.resolve(path));

/** The README's snippet: an address and a button in the slot `fallback`, in whose place the script renders its form. */
export const ours: Peer = {
  name: 'ours',
  file: fileURLToPath(new URL('../../../widget/dist/signup-form.js', import.meta.url)),
  markup: `${/<newsletter-signup[^]*?<\/newsletter-signup>/.exec(readFileSync(readme, 'utf8'))?.[0].replaceAll('https://signup.example.com', 'SITE')}<script src="SCRIPT" async></script>`,
  isThere: `Boolean(document.querySelector('newsletter-signup').shadowRoot?.querySelector('[part=surface]'))`,
};

export const ghost: Peer = {
  name: 'Ghost',
  file: installed('@tryghost/signup-form/umd/signup-form.min.js'),
  // Without a title it is the small form, as ours is: an address and a button.
  markup:
    '<div style="min-height: 58px; max-width: 440px"><script src="SCRIPT" data-site="SITE/" data-button-color="#222222" data-button-text-color="#FFFFFF" data-locale="en" async></script></div>',
  isThere: `Boolean(document.querySelector('iframe')?.contentDocument?.querySelector('input[type=email]'))`,
};

/** Its form is a page of Typeform's own, which is not loaded here: what is measured is the loader alone. */
export const typeform: Peer = {
  name: 'Typeform',
  file: installed('@typeform/embed/build/embed.js'),
  markup: '<div data-tf-widget="none" style="min-height: 11rem"></div><script src="SCRIPT" async></script>',
  isThere: `Boolean(document.querySelector('[data-tf-widget] iframe'))`,
};

export const peers: readonly Peer[] = [ours, ghost, typeform];

export const codeOf = ({ file }: Peer): Promise<Buffer> => readFile(file);
