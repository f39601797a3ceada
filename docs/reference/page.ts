/** Parts of a generated page. */
import { repository } from '../site.ts';

/** A generated page. */
export interface Page {
  /** File name without its ending. */
  readonly name: string;
  /** Default: `md`. `mdx` can contain components. */
  readonly format?: 'md' | 'mdx';
  readonly title: string;
  readonly description: string;
  /** Its name in the sidebar. Default: the title. */
  readonly label?: string;
  /** Whether tables take the room of the list of headings. */
  readonly isWide?: boolean;
  /** What the page is generated from, from the root of the repository: the target of "Edit page". */
  readonly source: string;
  /** Markdown. */
  readonly body: string;
}

/** The file of a page: its frontmatter, and its place in the sidebar. */
export function writePage({ title, description, label, isWide, source, body }: Page, order: number): string {
  const frontmatter = {
    title,
    description,
    editUrl: `${repository}/edit/main/${source}`,
    sidebar: { order, ...(label !== undefined && { label }) },
    ...(isWide && { tableOfContents: false }),
  };
  const lines = Object.entries(frontmatter).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `---\n${lines.join('\n')}\n---\n\n${body.trim()}\n`;
}

/** A table. Cells are Markdown; line breaks and bars in them are written so that the row stays one. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

const cell = (text: string): string =>
  text
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/(?<!\\)\|/g, '\\|');

/** Text as inline code. */
export const code = (text: string): string => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``);

/** Texts as inline code, with commas between them; a dash where there are none. */
export const codes = (texts: readonly string[]): string => texts.map(code).join(', ') || '–';

/** The relative links of a text from another folder, as they are from a page below `reference/`. */
export function relink(text: string, folder: string): string {
  return text.replaceAll(/\]\((?![a-z]+:|#|\/)/g, `](../../../../../${folder}/`);
}
