/** The page of a confirmation link, as a browser reads it: its forms, and what each of their buttons posts. */

/** A form of the page. */
export interface PageForm {
  /** Its text, without the labels of the buttons. */
  readonly text: string;
  readonly boxes: readonly { readonly label: string; readonly value: string; readonly checked: boolean }[];
  readonly buttons: readonly {
    readonly label: string;
    readonly value: string | null;
    /** The lines of text before it, since the last button. */
    readonly lines: readonly string[];
  }[];
  readonly shown: string;
}

const entities: Readonly<Partial<Record<string, string>>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&[#\w]+;/g, (entity) => entities[entity] ?? entity)
    .replaceAll(/\s+/g, ' ')
    .trim();

const attribute = (tag: string, name: string): string | null => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? null;

/** The forms of a page, from the first to the last. */
export function formsOf(html: string): readonly PageForm[] {
  return [...html.matchAll(/<form method="post">([^]*?)<\/form>/g)].map(([, content = '']) => ({
    text: textOf(content.replaceAll(/<button[^]*?<\/button>/g, '')),
    boxes: [...content.matchAll(/<label class="choice">(<input type="checkbox"[^>]*>)([^]*?)<\/label>/g)].map(
      ([, tag = '', label = '']) => ({
        label: textOf(label),
        value: attribute(tag, 'value') ?? '',
        checked: / checked\b/.test(tag),
      }),
    ),
    buttons: [...content.matchAll(/([^]*?)(<button[^>]*>)([^]*?)<\/button>/g)].map(
      ([, before = '', tag = '', label = '']) => ({
        label: textOf(label),
        value: attribute(tag, 'value'),
        lines: before
          .split(/<br>|<\/?p>/)
          .map(textOf)
          .filter(Boolean),
      }),
    ),
    shown: attribute(/<input type="hidden"[^>]*>/.exec(content)?.[0] ?? '', 'value') ?? '',
  }));
}

/** The fields that a browser posts. @param ticks - decides which boxes are ticked; default: as they are */
export function pressed(
  { shown, boxes }: PageForm,
  { value }: PageForm['buttons'][number],
  ticks: (box: PageForm['boxes'][number]) => boolean = ({ checked }) => checked,
): URLSearchParams {
  const fields = new URLSearchParams({ shown });
  for (const box of boxes) if (ticks(box)) fields.append('choice', box.value);
  if (value !== null) fields.append('choice', value);
  return fields;
}
