/**
 * The style sheet of the form in a tag, at most 1 kB. Its sizes are those of the element's own style sheet
 * (widget/src/styles.ts): until the script has come, the tag has the box of the form that will be rendered.
 */
import { formOf, isTag, layoutOf, slotted } from './fallback.ts';
import type { Tag } from './markup.ts';

/** The rules that this tag needs, each on a line. @param isThemed - whether a theme sets custom properties */
export function fallbackStyles(tag: Tag, isThemed: boolean): string {
  const form = formOf(tag);
  const parts = (form?.children ?? []).filter(isTag).filter(({ attributes }) => attributes['type'] !== 'hidden');
  const has = (...names: readonly string[]): boolean => parts.some(({ name }) => names.includes(name));
  const isOwners = form?.attributes['slot'] === undefined;
  const layout = layoutOf(tag);
  const isStacked = parts.length > 2 || /^(stacked|card|dialog)$/.test(layout);
  const isFramed = has('input');
  const here = layout === 'inline' ? 'newsletter-signup' : `newsletter-signup[layout=${layout}]`;
  /** A custom property where the tag or a theme sets it, else its default. */
  const own = (name: string, initial: string): string =>
    isThemed || tag.styles?.[`--newsletter-${name}`] ? `var(--newsletter-${name}, ${initial})` : initial;
  const width = own('width', '30em');

  const rules: readonly (readonly [selector: string, declarations: string] | false)[] = [
    ['newsletter-signup', 'display: block; font-size: max(16px, 1em)'],
    !isOwners && ['newsletter-signup:not(:defined)', `max-width: ${width}; margin: auto`],
    /^(card|cover)$/.test(layout) && [
      `${here}:not(:defined)`,
      `box-sizing: border-box; padding: ${own('padding', 'clamp(1.25em, 6%, 2em)')}; border: 1px solid #8884`,
    ],
    ['newsletter-signup > *', 'margin: 0'],
    slotted(tag, 'head').length > 0 && ['newsletter-signup h2', 'line-height: 1.2; letter-spacing: -.01em'],
    slotted(tag, 'thanks').length > 0 && ['newsletter-signup:not(:defined) > [slot=thanks]', 'display: none'],
    isStacked
      ? [`${here} form`, `display: grid; gap: ${own('gap', '1em')}`]
      : ['newsletter-signup form', `display: flex; flex-wrap: wrap; align-items: end; gap: ${own('gap', '1em')}`],
    isOwners && ['newsletter-signup form', `max-width: ${width}; margin: auto`],
    !isStacked && ['newsletter-signup label', 'flex: 999 11em'],
    !isStacked && ['newsletter-signup form button', 'flex: 9em'],
    !isFramed && [
      'newsletter-signup :is(label > span:first-child, legend)',
      'display: block; margin-bottom: .375em; padding: 0; font-size: .9375em; font-weight: 600',
    ],
    [
      'newsletter-signup form :is(input, select, button)',
      'box-sizing: border-box; width: 100%; min-height: max(44px, 3em); margin: 0; padding: .5em .875em; font: inherit; border: 1px solid #888',
    ],
    isOwners && [
      'newsletter-signup form :is(input, select, button)',
      `color: inherit; background: none; border-radius: ${own('radius', '.625em')}`,
    ],
    isOwners && ['newsletter-signup form button', 'font-weight: 600; color: Canvas; background: CanvasText'],
    isFramed && [`${here} form`, 'gap: 0; padding: .3125em; border: 1px solid #888'],
    isFramed && [`${here} form input`, 'flex: 999 11em; border-color: transparent'],
    isFramed && [`${here} form button`, 'flex: auto; width: auto; padding: .5em 1.25em; font-weight: 600'],
    has('fieldset') && [
      'newsletter-signup fieldset',
      'display: flex; flex-wrap: wrap; gap: .5em; margin: 0; padding: 0; border: 0',
    ],
    has('fieldset') && [
      'newsletter-signup fieldset label',
      'display: flex; align-items: center; gap: .5em; min-height: 42px; padding: 0 1em 0 .75em; border: 1px solid #888',
    ],
    has('div') && ['newsletter-signup div label', 'display: flex; align-items: center; gap: 1.125em; min-height: 44px'],
    has('fieldset', 'div') && [
      'newsletter-signup form :is([type=checkbox], [type=radio])',
      'flex: none; width: 1.125em; min-height: 1.125em; padding: 0',
    ],
    slotted(tag, 'note').length + slotted(tag, 'proof').length > 0 && [
      'newsletter-signup > p',
      'margin-top: .92em; font-size: .8125em',
    ],
  ];
  return rules.flatMap((rule) => (rule ? [`${rule[0]} { ${rule[1]}; }`] : [])).join('\n');
}
