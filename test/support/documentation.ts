/** The pages of the documentation, as tests run and compare them. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/root.ts';

const content = 'docs/src/content/docs';

/** Path of a page from the root of the repository, such as that of `client/import`. */
export function pagePath(page: string): string {
  return `${content}/${page}.md`;
}

/** The text of a page, such as `client/import`. */
export function page(name: string): string {
  return readFileSync(join(root, pagePath(name)), 'utf8');
}

/** Paths of all pages of a section, such as `client`. */
export function section(name: string): string[] {
  return globSync(`${content}/${name}/*.md`, { cwd: root }).toSorted();
}

/** A README and the pages it leads to, one after the other. */
export function readmeAndPages(readme: string, name: string): string {
  return [readme, ...section(name)].map((path) => readFileSync(join(root, path), 'utf8')).join('\n');
}

/** The fenced blocks of a language. */
export function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code);
}

/**
 * A file with generated sections. A section is what stands between `<!-- name -->` and `<!-- /name -->`.
 *
 * @returns the text, by the path
 * @throws Error where the file has no place for a section
 */
export function withSections(path: string, sections: Readonly<Record<string, string>>): Record<string, string> {
  let text = readFileSync(join(root, path), 'utf8');
  for (const [name, content] of Object.entries(sections)) {
    const place = new RegExp(`(?<=^<!-- ${name} -->\\n)[^]*?(?=^<!-- /${name} -->$)`, 'm');
    if (!place.test(text)) throw new Error(`${path} has no place for ${name}: <!-- ${name} --> and <!-- /${name} -->.`);
    text = text.replace(place, () => `\n${content}\n\n`);
  }
  return { [path]: text };
}
