/** The server's part of the playground: the options of the tag, and an endpoint that gives the chosen answer. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { english } from '@newsletter-kit/signup';
import type { Hono } from 'hono';
import { languageTexts, widgetLanguages, widgetThemes } from './files.ts';
import { fallbackTexts, type Texts } from './page/fallback.ts';
import { readOptions, type Manifest, type Options } from './page/options.ts';
import { answerMs, isState, responseOf, stateOf } from './page/states.ts';

/** How long the answer `never` keeps a form busy, in milliseconds. */
const neverMs = 120_000;

/** Answers the forms of the previews as the state in their address says. */
export function addAnswers(site: Hono): void {
  site.post('/playground/answers/:state', async (context) => {
    const state = context.req.param('state');
    const answer = isState(state) ? stateOf(state).answer : undefined;
    if (answer === undefined) return context.notFound();
    if (answer === 'never') {
      await sleep(neverMs, undefined, { signal: context.req.raw.signal, ref: false }).catch(() => undefined);
      return context.body(null, 504);
    }
    await sleep(answerMs);
    return responseOf(answer);
  });
}

/** Read at every request, so that a new build of the widget shows without a restart. */
export async function currentOptions(): Promise<Options> {
  const manifest = JSON.parse(
    await readFile(fileURLToPath(import.meta.resolve('@newsletter-kit/signup/custom-elements.json')), 'utf8'),
  ) as Manifest;
  const languages = await widgetLanguages();
  const texts = Object.fromEntries(
    await Promise.all(languages.map(async (tag) => [tag, await formTexts(tag)] as const)),
  );
  return readOptions(manifest, english, { languages, themes: await widgetThemes(), texts });
}

/** The texts of a form that works without the script; where a language lacks one, the English. */
async function formTexts(language: string): Promise<Texts> {
  const texts: Texts = language === 'en' ? english : { ...english, ...(await languageTexts(language)) };
  return Object.fromEntries(fallbackTexts.map((name) => [name, texts[name] ?? '']));
}
