/**
 * The form as a page: at `GET /signup`, for links from anywhere and for frames, and after a refused post, with what was
 * entered. It needs no script: what its address and its referrer say about the visit goes along in hidden fields.
 */
import { type Entered, escapeHtml, type Page, type Refused } from '@newsletter-kit/core/endpoint';
import { attributionFields, honeypotField, readAttribution } from '@newsletter-kit/core/signup';
import type { Form } from '../config/form.ts';
import { contents } from '../pages/contents.ts';
import { autocompleteOf, buttonHtml, linkedHtml, pageOf, sitePage, siteOf, withoutLinks } from '../pages/page.ts';
import { filled, waitIn, type Words, wordsIn } from '../pages/words.ts';

/** What is wrong, by the name of the field; of the whole form, by the empty name. */
type Problems = ReadonlyMap<string, string>;

/** The page of a form that has one. @param request - its address may have UTM parameters and a referral code */
export function formPage(form: Form, { url, headers }: Request): Page {
  const visit = readAttribution({ url, referrer: headers.get('referer') ?? '' });
  const entered = attributionFields.flatMap((name) => (visit[name] ? [[name, visit[name]] as const] : []));
  const { title, lang } = form.site;
  const html = [...paragraphsOf(form), formHtml(form, wordsIn(lang), entered, new Map())].join('\n');
  return sitePage(siteOf(form), lang, title, html);
}

const paragraphsOf = ({ page }: Form): readonly string[] =>
  (page?.text?.split(/\n\s*\n/) ?? []).map((text) => `<p>${linkedHtml(text)}</p>`);

/**
 * The page after a refused post: the form again, with what was entered and what is wrong. Where only a token is missing
 * one button sends the same again; a form that may not be here is not shown.
 *
 * @param form - null where the address belongs to none
 */
export function refusalPage(form: Form | null, refused: Refused, entered: Entered): Page {
  const site = siteOf(form);
  const { status, errors, ask } = refused;
  const codes = errors.map(({ code }) => code);
  if (form === null || status === 404 || status === 405) return pageOf(site, contents.notFound);
  const html = reasonsFor(refused);
  if (codes.includes('ORIGIN_NOT_ALLOWED')) return pageOf(site, contents.notForThisSite, { html });
  const words = wordsIn(site.lang);
  const kept = [...entered];
  if (ask?.token !== undefined && kept.length > 0) {
    const fields = [...kept.filter(([name]) => !secrets.has(name)), ['token', ask.token] as const];
    return pageOf(site, contents.oneMoreStep, { html: buttonHtml(labelOf(form, words), hiddenFields(fields)) });
  }
  const again = formHtml(form, words, kept, problemsOf(form, words, refused));
  return pageOf(site, contents.refused, { html: `${html}\n${again}` });
}

/** For whoever made the form: the reasons in the words of the JSON answer. */
const reasonsFor = ({ errors }: Refused): string =>
  `<!-- ${errors.map(({ code, message }) => escapeHtml(`${code}: ${message}`).replaceAll('--', '- -')).join(' ')} -->`;

/** Fields that are not sent again: a token and a proof count once. */
const secrets: ReadonlySet<string> = new Set(['token', 'proof']);

const labelOf = ({ page }: Form, words: Words): string => page?.button ?? words.button;

/** A code that has no field of its own is told for the whole form. */
function problemsOf(form: Form, words: Words, { status, errors, retryAfterSeconds }: Refused): Problems {
  const label = form.page?.label ?? words.emailLabel;
  const wait = waitIn(words, retryAfterSeconds);
  return new Map(
    errors.map(({ code }): readonly [string, string] => {
      if (status === 429) return ['', filled(words.limited, { wait })];
      if (status === 503) return ['', filled(words.unavailable, { wait })];
      if (status === 413) return ['', words.tooLong];
      if (code === 'EMAIL_REQUIRED') return ['email', filled(words.missing, { label })];
      if (code.startsWith('EMAIL_')) return ['email', words.emailInvalid];
      if (code === 'CONSENT_REQUIRED') return ['consent', words.notTicked];
      return ['', words.refused];
    }),
  );
}

/** The form, with its own fields filled in, and whatever else was entered in hidden ones. */
function formHtml(form: Form, words: Words, entered: Entered, problems: Problems): string {
  const { page, consent } = form;
  const values = Map.groupBy(entered, ([name]) => name);
  const all = (name: string): readonly string[] => values.get(name)?.map(([, value]) => value) ?? [];
  const shown = new Set<string>([...secrets, honeypotField]);
  /** @param rest - of the control's attributes */
  const control = (name: string, rest = ''): string => {
    shown.add(name);
    const wrong = problems.has(name)
      ? ` id="${name}" aria-invalid="true" aria-describedby="${name}-error" autofocus`
      : '';
    return `name="${escapeHtml(name)}"${wrong}${rest}`;
  };
  const problem = (name: string): string =>
    problems.has(name) ? `<p class="error" id="${name}-error">${escapeHtml(problems.get(name) ?? '')}</p>` : '';
  const text = (label: string, name: string, rest: string): string => {
    const [value] = all(name);
    const attributes = control(name, value === undefined ? '' : ` value="${escapeHtml(value)}"`);
    return `<label>${label} <input ${attributes}${rest}></label>`;
  };
  const box = (name: string, value: string, label: string, rest = ''): string => {
    const checked = all(name).includes(value) ? ' checked' : '';
    const attributes = control(name, ` value="${escapeHtml(value)}"${checked}${rest}`);
    return `<label class="choice"><input type="checkbox" ${attributes}> <span>${label}</span></label>`;
  };
  const optional = (name: string): string => `${escapeHtml(name)} <small>${escapeHtml(words.optional)}</small>`;
  const sentence = page?.consent ?? (problems.has('consent') ? consent.sentences.at(-1) : undefined);
  const email = ' type="email" autocomplete="email" dir="ltr" maxlength="254" required';
  const lines = [
    ...[...problems].map(([name, sentence]) => summaryOf(name, escapeHtml(sentence))),
    text(escapeHtml(page?.label ?? words.emailLabel), 'email', email),
    problem('email'),
    ...(page?.fields ?? []).map(({ name, autocomplete, options }) =>
      options.length === 0
        ? text(optional(name), `custom_fields[${name}]`, `${autocompleteOf(autocomplete)} dir="auto"`)
        : `<fieldset>\n<legend>${optional(name)}</legend>\n${options.map((option) => box(`custom_fields[${name}][]`, option, escapeHtml(option))).join('\n')}\n</fieldset>`,
    ),
    ...(sentence === undefined
      ? []
      : [box('consent', withoutLinks(sentence), linkedHtml(sentence), consent.required ? ' required' : '')]),
    problem('consent'),
  ];
  const rest = [...entered].filter(([name]) => !shown.has(name));
  const hidden = hiddenFields([...rest, [honeypotField, '']]);
  return buttonHtml(labelOf(form, words), `${lines.filter(Boolean).join('\n')}\n${hidden}`);
}

/** What is wrong, above the form: a link to its field, if it has one. */
const summaryOf = (name: string, html: string): string =>
  `<p class="error" role="alert">${name === '' ? html : `<a href="#${name}">${html}</a>`}</p>`;

const hiddenFields = (fields: Entered): string =>
  [...fields]
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">\n`)
    .join('');
