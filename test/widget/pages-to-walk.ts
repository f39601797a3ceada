/**
 * Pages with forms for the steps of journey.ts: both ways to write the tag, in both directions.
 */

/** The texts of a page. */
export interface Words {
  readonly lang: string;
  readonly dir: 'ltr' | 'rtl';
  readonly title: string;
  readonly intro: string;
  readonly email: string;
  readonly name: string;
  readonly topics: string;
  readonly options: readonly [string, string];
  /** With the text of the link in brackets. */
  readonly consent: string;
  readonly button: string;
}

export const languages = {
  en: {
    lang: 'en',
    dir: 'ltr',
    title: 'The Tuesday letter',
    intro: 'Five minutes on what happened.',
    email: 'Email address',
    name: 'First name',
    topics: 'Topics',
    options: ['Code', 'Design'],
    consent: 'I have read the [privacy notice].',
    button: 'Subscribe',
  },
  ar: {
    lang: 'ar',
    dir: 'rtl',
    title: 'رسالة كل ثلاثاء',
    intro: 'أهم أخبار الأسبوع في خمس دقائق.',
    email: 'البريد الإلكتروني',
    name: 'الاسم',
    topics: 'المواضيع',
    options: ['تقنية', 'ثقافة'],
    consent: 'قرأت [سياسة الخصوصية].',
    button: 'اشترك',
  },
} as const satisfies Readonly<Record<string, Words>>;

export const layouts = ['inline', 'stacked', 'card', 'dialog'] as const;
export type Layout = (typeof layouts)[number];

/** Writes the tag in one of the two ways, with these texts. */
export type Tag = (words: Words, endpoint: string, layout: Layout) => string;

const tag =
  (isOwners: boolean, content: (words: Words, endpoint: string) => string): Tag =>
  (words, endpoint, layout) =>
    `
  <newsletter-signup ${isOwners ? '' : `endpoint="${endpoint}"`} layout="${layout}" timeout="3600" turnstile-script="/turnstile.js">
    ${layout === 'inline' ? '' : `<h2 slot="head">${words.title}</h2><p slot="head">${words.intro}</p>`}
    ${layout === 'dialog' ? `<button slot="trigger">${words.title}</button>` : ''}
    ${content(words, endpoint)}
  </newsletter-signup>`;

export const tags: Readonly<Record<'shadow' | 'light', Tag>> = {
  shadow: tag(
    false,
    ({ name, topics, options, consent }) => `<newsletter-field name="${name}" required></newsletter-field>
      <newsletter-field name="${topics}" kind="list" options="${options.join(' | ')}"></newsletter-field>
      <newsletter-field kind="consent" label="${consent}" href="/privacy" required></newsletter-field>`,
  ),
  light: tag(
    true,
    (words, endpoint) => `<form action="${endpoint}" method="post">
        <label>${words.email} <input type="email" name="email" autocomplete="email" required></label>
        <label>${words.name} <input name="custom_fields[${words.name}]" required></label>
        <fieldset><legend>${words.topics}</legend>
          ${words.options.map((option) => `<label><input type="checkbox" name="custom_fields[${words.topics}][]" value="${option}"> ${option}</label>`).join(' ')}
        </fieldset>
        <label><input type="checkbox" name="consent" required> ${words.consent.replace('[', '<a href="/privacy">').replace(']', '</a>')}</label>
        <button>${words.button}</button>
      </form>`,
  ),
};

/** The two builds, as a page loads them. */
export const builds: Readonly<Record<'script' | 'npm', string>> = {
  script: '<script src="/signup-form.js" async></script>',
  npm: '<script src="/bundle.js" type="module"></script>',
};

/** A whole page with these forms in it. */
export function pageToWalk({ lang, dir }: Words, build: keyof typeof builds, forms: string, style = ''): string {
  return `<!doctype html><html lang="${lang}" dir="${dir}"><meta charset="utf-8"><title>${lang}</title>
    <style>html { color-scheme: light dark; color: CanvasText; background: Canvas } ${style}</style>
    ${lang === 'en' ? '' : `<script src="/languages/${lang}.js"></script>`}${builds[build]}<main>${forms}</main></html>`;
}
