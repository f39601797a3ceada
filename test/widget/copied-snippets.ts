/** The snippets that people copy, as pages send them: of READMEs, documentation, playground and WordPress plugin. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { snippetsFor } from '../../examples/demo/page/places.ts';
import { root } from '../../scripts/root.ts';
import { canRun, startWebServer } from '../examples/wordpress-site.ts';
import { freePort } from '../support/free-ports.ts';
import { layouts, listAndDate, options, platformNames, sentHtml, setupOf } from './snippets.ts';

/** A tag to copy. Those with an equal tree are one. */
export interface Copied {
  /** The first place where it stands. */
  readonly name: string;
  readonly markup: string;
  /** Whether the script enhances its form, instead of replacing it by the element's own. */
  readonly isOwners: boolean;
  /** Whether it works without the script. */
  readonly hasForm: boolean;
}

/** A tag, or a div in its place, on one line or from a line to the next one with the same indentation. */
const pattern = /^( *)<(newsletter-signup|div(?= data-newsletter-signup))\b(?:.*<\/\2>$|[^]*?^\1<\/\2>)/gm;

const tagsIn = (text: string): string[] => text.match(pattern) ?? [];

/** Elements and attributes, without texts, addresses and the order of attributes. */
function treeOf(markup: string): string {
  const words = /^(layout|kind|slot|type|required|popover|data-layout|data-kind)(?==|$)/;
  return [...markup.matchAll(/<(\/?[\w-]+)((?:[^>"]|"[^"]*")*)>/g)]
    .map(([, name, text = '']) => {
      const attributes = text.toLowerCase().match(/[\w-]+(?:="[^"]*")?/g) ?? [];
      const kept = attributes.map((each) => each.replace(words.test(each) ? /=""$/ : /=.*/s, ''));
      return [name, ...kept.toSorted()].join(' ');
    })
    .join('\n');
}

/** What the plugin makes of its shortcode in a real WordPress; none where that cannot run. */
async function pluginTags(): Promise<readonly string[]> {
  if (!(await canRun())) return [];
  const web = await startWebServer(await freePort());
  try {
    const wordpress = await web.install('', 'classic');
    const shortcodes = layouts.flatMap((layout) =>
      ['', 'First name, City'].map(
        (fields) => `[newsletter_kit layout="${layout}" fields="${fields}" heading="Letters"]`,
      ),
    );
    const shown = await wordpress.run<readonly string[]>(
      `require $input['plugin'];
       update_option('newsletter_kit_signup_form', ['endpoint' => 'https://signup.example.com/signup']);
       return array_map('do_shortcode', $input['shortcodes']);`,
      { plugin: join(root, 'examples/wordpress/signup-form.php'), shortcodes },
    );
    return shown.flatMap((html) => /<newsletter-signup.*<\/newsletter-signup>/.exec(html)?.[0] ?? []);
  } finally {
    await web.close();
  }
}

/** The snippet of the README, and the tag in one line. */
export const decidingTags: readonly (readonly [name: string, markup: string])[] = [
  ['the README', tagsIn(readFileSync(join(root, 'README.md'), 'utf8'))[0] ?? ''],
  ['the bare tag', '<newsletter-signup endpoint="https://signup.example.com/signup"></newsletter-signup>'],
];

/** Every snippet, that of the README and the bare tag first. */
export async function copiedSnippets(): Promise<readonly Copied[]> {
  const found = [...decidingTags];
  for (const path of [
    'README.md',
    'widget/README.md',
    ...globSync('docs/src/content/docs/**/*.md', { cwd: root }).toSorted(),
  ])
    for (const [, code = ''] of readFileSync(join(root, path), 'utf8').matchAll(
      /^ *```(?:html|vue|svelte)$([^]*?)^ *```$/gm,
    ))
      found.push(...tagsIn(code).map((tag) => [path, tag] as const));
  for (const platform of platformNames)
    for (const layout of layouts)
      for (const fields of [[], listAndDate])
        // A layout does not change the form of the page.
        for (const mode of /inline|card|dialog/.test(layout) ? (['own', 'enhance'] as const) : (['own'] as const)) {
          const setup = setupOf(layout, { platform, fields, mode });
          // Components are rendered; a div is beside the tag.
          const divs = snippetsFor(setup, options).filter(({ code }) => code.includes('<div data-newsletter-signup'));
          for (const code of [await sentHtml(setup), ...divs.map((div) => div.code)])
            found.push(...tagsIn(code).map((tag) => [`the playground, ${platform}, ${mode}`, tag] as const));
        }
  found.push(...(await pluginTags()).map((tag) => ['the plugin for WordPress', tag] as const));
  return distinct(found);
}

/** A tag of each tree. */
export function distinct(found: readonly (readonly [name: string, markup: string])[]): readonly Copied[] {
  const byTree = new Map<string, { readonly name: string; readonly markup: string }>();
  for (const [name, markup] of found) if (!byTree.has(treeOf(markup))) byTree.set(treeOf(markup), { name, markup });
  return [...byTree.values()].map(({ name, markup }, at) => ({
    name: `${name}: ${/<[^>]*/.exec(markup)?.[0].replaceAll(/\s+/g, ' ')}>`,
    // A page that is left shows no thanks; of several dialogs on a page, each has its own form.
    markup: markup
      .replaceAll(/https:\/\/(?:relay|signup)\.example(?:\.com)?/g, '')
      .replaceAll(/ redirect="[^"]*"/g, '')
      .replaceAll('letter-form', `letter-form-${at}`),
    isOwners: /<form(?![^>]*slot=)/.test(markup),
    hasForm: markup.includes('<form'),
  }));
}
