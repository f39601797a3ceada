/** A form as the operator's page shows it, with the HTML that puts it on a website. */
import { escapeHtml } from '@newsletter-kit/core/endpoint';
import type { Form } from '../config/form.ts';
import { autocompleteOf, linkedHtml, withoutLinks } from '../pages/page.ts';
import { wordsIn } from '../pages/words.ts';

export interface ListedForm {
  readonly name: string;
  readonly origins: readonly string[];
  /** Address of its page at the relay; null without one. */
  readonly hosted: string | null;
  /** To be pasted into a page of one of the origins. */
  readonly snippet: string;
}

/** @param address - of the relay, as visitors reach it */
export function toListedForm(form: Form, address: string): ListedForm {
  const { name, origins, page } = form;
  const endpoint = `${address}/signup${name === 'default' ? '' : `/${name}`}`;
  return { name, origins: [...origins], hosted: page && endpoint, snippet: snippetOf(form, address, endpoint) };
}

/** The tag with the fields of the hosted form, a form of the same for visitors without the script, and the scripts. */
function snippetOf({ page, consent, site }: Form, address: string, endpoint: string): string {
  const { lang, emailLabel, button: subscribe } = wordsIn(site.lang);
  const { label = emailLabel, button = subscribe, fields = [] } = page ?? {};
  const sentence = page?.consent ?? consent.sentences.at(-1);
  const required = consent.required ? ' required' : '';
  const box = (name: string, value: string, label: string, attribute = ''): string =>
    `${escaped`<label><input type="checkbox" name="${name}" value="${value}"`}${attribute}> ${label}</label>`;
  /** The attributes of a field of the tag, and the same field in the form. */
  const parts = [
    ...fields.map(({ name, autocomplete, options }) =>
      options.length === 0
        ? [
            escaped`name="${name}"` + autocompleteOf(autocomplete),
            `${escaped`<label>${name} <input name="custom_fields[${name}]"`}${autocompleteOf(autocomplete)}></label>`,
          ]
        : [
            escaped`name="${name}" kind="list" options="${options.join(' | ')}"`,
            `${escaped`<fieldset><legend>${name}</legend>`}${options.map((each) => box(`custom_fields[${name}][]`, each, escapeHtml(each))).join(' ')}</fieldset>`,
          ],
    ),
    ...(sentence === undefined
      ? []
      : [
          [
            escaped`kind="consent" label="${sentence}"` + required,
            box('consent', withoutLinks(sentence), linkedHtml(sentence), required),
          ],
        ]),
  ];
  return [
    lang === 'en'
      ? escaped`<newsletter-signup endpoint="${endpoint}">`
      : escaped`<newsletter-signup lang="${lang}" endpoint="${endpoint}">`,
    ...parts.map(([attributes]) => `  <newsletter-field ${attributes}></newsletter-field>`),
    escaped`  <form slot="fallback" action="${endpoint}" method="post">`,
    escaped`    <label>${label} <input type="email" name="email" autocomplete="email" required></label>`,
    ...parts.map(([, control]) => `    ${control}`),
    escaped`    <button>${button}</button>`,
    '  </form>',
    '</newsletter-signup>',
    ...(lang === 'en' ? [] : [escaped`<script src="${address}/languages/${lang}.js" async></script>`]),
    escaped`<script src="${address}/signup-form.js" async></script>`,
  ].join('\n');
}

function escaped(html: TemplateStringsArray, ...values: readonly string[]): string {
  return String.raw({ raw: html }, ...values.map(escapeHtml));
}
