/**
 * The words of the relay's pages and mails: those that the form has too, and the relay's own. A language that is not
 * among them has the English ones.
 */
import formWords from './form-words.json' with { type: 'json' };
import ar from './words/ar.json' with { type: 'json' };
import de from './words/de.json' with { type: 'json' };
import en from './words/en.json' with { type: 'json' };
import es from './words/es.json' with { type: 'json' };
import fr from './words/fr.json' with { type: 'json' };
import he from './words/he.json' with { type: 'json' };
import it from './words/it.json' with { type: 'json' };
import ja from './words/ja.json' with { type: 'json' };
import nl from './words/nl.json' with { type: 'json' };
import pl from './words/pl.json' with { type: 'json' };
import pt from './words/pt.json' with { type: 'json' };
import tr from './words/tr.json' with { type: 'json' };
import zh from './words/zh.json' with { type: 'json' };

const own = { ar, de, en, es, fr, he, it, ja, nl, pl, pt, tr, zh } satisfies Record<keyof typeof formWords, typeof en>;

/** A sentence by its name. */
export type Word = keyof typeof en | keyof (typeof formWords)['en'];

/** Every sentence, and the language they are in. */
export type Words = Readonly<Record<Word | 'lang', string>>;

/** Every language there is. */
export const languages = Object.keys(own) as (keyof typeof own)[];

/** The words of a language: for `de-AT` those of `de`, for `iw` those of `he`. */
export function wordsIn(language: string): Words {
  const lang = languages.find((each) => each === new Intl.Locale(language).language) ?? 'en';
  return { ...formWords[lang], ...own[lang], lang };
}

/** A sentence with its values in it. */
export function filled(sentence: string, values: Readonly<Record<string, string>>): string {
  return sentence.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** When to try again, as a person would say it. */
export function waitIn({ lang, later }: Words, seconds: number | undefined): string {
  if (seconds === undefined) return later;
  const time = new Intl.RelativeTimeFormat(lang);
  return seconds < 90 ? time.format(Math.ceil(seconds), 'second') : time.format(Math.ceil(seconds / 60), 'minute');
}
