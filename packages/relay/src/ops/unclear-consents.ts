/** Consents in words that are neither yes nor no: metrics, `check` and the operator's page ask for their sentence. */
import type { Form } from '../config/form.ts';
import { type Overview, reasonsShown, type UnclearConsent, recentRead } from '../store/overview.ts';

/** The sentences of each form, by name. */
export type SentencesOfForms = Readonly<Record<string, { readonly consent: Pick<Form['consent'], 'sentences'> }>>;

/** Texts that are shown, and characters of each. */
const shown = { texts: 3, characters: 120 } as const;

/** Those of forms without a sentence: where one is named, such posts are refused. */
export function unclearConsents(
  { unclearConsents: all }: Pick<Overview, 'unclearConsents'>,
  forms: SentencesOfForms,
): readonly UnclearConsent[] {
  return all.filter(({ form }) => forms[form]?.consent.sentences.length === 0);
}

/** The same in words, with what to do; null where there are none. */
export function unclearConsentsText(
  overview: Pick<Overview, 'unclearConsents'>,
  forms: SentencesOfForms,
): string | null {
  const unclear = unclearConsents(overview, forms);
  if (unclear.length === 0) return null;
  const total = unclear.reduce((sum, { count }) => sum + count, 0);
  const isAll = total < recentRead && overview.unclearConsents.length < reasonsShown;
  const signups = total === 1 ? '1 signup' : `${isAll ? '' : 'at least '}${total} signups`;
  const texts = unclear.slice(0, shown.texts).map(({ form, sentence, count }) => {
    const cut = sentence.length > shown.characters ? `${sentence.slice(0, shown.characters)}…` : sentence;
    return `“${cut}” (${count}, form "${form}")`;
  });
  const more = unclear.length > shown.texts ? ', and others' : '';
  return `In 30 days ${signups} came with a consent in words that are neither yes nor no, and went on without consent: ${texts.join(', ')}${more}. If a form shows such a sentence beside its box, name it in RELAY_CONSENT_SENTENCES; for a no, let the form send false.`;
}
