/**
 * The style sheet of the form in a tag. Its sizes are those of the element's own style sheet (widget/src/styles.ts):
 * until the script has come, the tag has the box of the form that will be rendered. test/widget/steady.test.ts compares
 * the two.
 *
 * Rules for the tag and its layout apply until the element is defined. Those for the form stay: the page's own form is
 * in use after that too, and a fallback is not rendered any more. Selectors name the layout where layouts differ, so
 * that two tags of one page do not disturb each other.
 */
import { formOf, isTag, layoutOf, slotted } from './fallback.ts';
import type { Tag } from './markup.ts';

type Rule = readonly [selector: string, ...declarations: readonly (string | false)[]];
type Rules = readonly (Rule | false)[];

/** What the rules depend on. */
interface Shape {
  readonly layout: string;
  /** Selects the tags of this layout. */
  readonly here: string;
  /** Selects them until the element is defined. */
  readonly before: string;
  /** Selects the form. */
  readonly form: string;
  /** Whether the script enhances the form, instead of replacing it by the element's own. */
  readonly isOwners: boolean;
  readonly isPopover: boolean;
  readonly isCover: boolean;
  readonly isCard: boolean;
  /** Whether the controls are below each other at any width. */
  readonly isStacked: boolean;
  /** Whether address and button share a frame. */
  readonly isFramed: boolean;
  readonly isThemed: boolean;
  /** Whether the form has such an element, and the tag such a slot. */
  readonly has: (name: string) => boolean;
  readonly fills: (slot: string) => boolean;
  /** The space between head and form; undefined without a head. */
  readonly headGap: string | undefined;
  /** A custom property where the tag sets it, else its default. */
  readonly own: (property: string, initial: string) => string;
}

/** The rules that this tag needs, each on a line. @param isThemed - whether the tag has a theme */
export function fallbackStyles(tag: Tag, isThemed: boolean): string {
  const shape = shapeOf(tag, isThemed);
  const rules = [
    ...(shape.isPopover ? popoverRules(shape) : pageRules(shape)),
    ...formRules(shape),
    ...choiceRules(shape),
    ...(shape.isCover ? coverRules(shape) : []),
  ];
  return rules
    .flatMap((rule) => {
      const [selector, ...declarations] = rule || [];
      return selector ? [`${selector} {${declarations.filter(Boolean).join('; ')}}`] : [];
    })
    .join('\n');
}

function shapeOf(tag: Tag, isThemed: boolean): Shape {
  const form = formOf(tag);
  const shown = (form?.children ?? []).filter(isTag).filter(({ attributes }) => attributes['type'] !== 'hidden');
  const layout = layoutOf(tag);
  const here = layout === 'inline' ? 'newsletter-signup' : `newsletter-signup[layout=${layout}]`;
  const isOwners = form?.attributes['slot'] === undefined;
  const has = (name: string): boolean => shown.some((child) => child.name === name);
  const fills = (slot: string): boolean => slotted(tag, slot).length > 0;
  const own = (property: string, initial: string): string => {
    const isSet = tag.styles?.[`--newsletter-${property}`] !== undefined || (isThemed && property === 'padding');
    return isSet ? `var(--newsletter-${property}, ${initial})` : initial;
  };
  const gap = own('gap', '1em');
  return {
    layout,
    here,
    before: `${here}:not(:defined)`,
    form: isOwners ? 'newsletter-signup form' : '[slot=fallback]',
    isOwners,
    isPopover: form?.attributes['popover'] !== undefined,
    isCover: layout === 'cover' && !isOwners,
    isCard: layout === 'card' && !isOwners,
    isStacked: shown.length > 2 || ['stacked', 'card', 'dialog'].includes(layout),
    isFramed: has('input'),
    isThemed,
    has,
    fills,
    headGap: fills('head') ? (gap === '1em' ? '1.25em' : `calc(1.25 * ${gap})`) : undefined,
    own,
  };
}

/** The form of a dialog is a popover, which its trigger opens. Browsers without popovers show it in the page. */
const popoverRules = ({ here, before }: Shape): Rules => [
  [here, 'display: block'],
  [`${before} > :not(form, [slot=trigger])`, 'display: none'],
  [`${here} form:not(:popover-open)`, 'display: none'],
  [`${here} form`, 'width: 20em; padding: 1.5em; font-size: max(16px, 1em)'],
];

/** The tag, and what it shows around the form. */
function pageRules(shape: Shape): Rules {
  const { layout, before, isOwners, isCover, isCard, isThemed, fills, headGap, own } = shape;
  return [
    ...(isCover || isCard ? panelRules(shape) : []),
    !isCover &&
      !isCard && [
        before,
        // Not a largest width of the tag itself: it would move when it is as wide as its column.
        isOwners
          ? 'display: block'
          : `display: grid; grid: none / minmax(0, ${own('width', '30em')}); justify-content: center`,
        layout === 'joined' && 'text-align: center',
        'font-size: max(16px, 1em)',
      ],
    // A theme has its own.
    fills('head') && !isThemed && ['newsletter-signup > h2', 'margin: 0; line-height: 1.2; letter-spacing: -.01em'],
    isOwners && headGap !== undefined && [`${before} > form`, `margin-top: ${headGap}`],
    (fills('note') || fills('proof')) && ['newsletter-signup > p', 'margin: .9231em 0 0; font-size: .8125em'],
    fills('note') && fills('proof') && ['newsletter-signup > p + p', 'margin-top: .6154em'],
    fills('thanks') && ['newsletter-signup:not(:defined) > [slot=thanks]', 'display: none'],
  ];
}

/**
 * The surface of `card` and `cover`. The tag keeps its largest width, so that it does not move to the start of its
 * column; in it, the padding of 6 or 8 % is at most 1.8 or 4 em. A column of a grid needs a width beside the margin.
 */
const panelRules = ({ here, before, isCover, own }: Shape): Rules => [
  [
    here,
    isCover ? 'display: flow-root' : 'display: block',
    `width: 100%; max-width: ${own('width', isCover ? '56em' : '30em')}; margin: auto; font-size: max(16px, 1em)`,
  ],
  [
    before,
    `box-sizing: border-box; padding: ${own('padding', isCover ? 'clamp(1.5em, 8%, 4em)' : 'clamp(1.25em, 6%, 1.8em)')}`,
    'border: 1px solid',
  ],
];

function formRules(shape: Shape): Rules {
  const { here, form, isOwners, isPopover, isCover, isStacked, isFramed, headGap, has, own } = shape;
  const ofLayout = isOwners ? `${here} form:not([slot])` : `${here} form`;
  return [
    // Margins, floats and widths of the page.
    !isOwners && !isFramed && [`${form} ${has('fieldset') ? ':is(label, fieldset, legend)' : 'label'}`, 'all: unset'],
    [
      ofLayout,
      !isOwners && !isPopover && 'all: unset',
      isStacked ? 'display: grid' : `display: flex; flex-wrap: wrap; align-items: ${isFramed ? 'baseline' : 'end'}`,
      isFramed ? 'padding: .3125em; border: 1px solid' : `gap: ${own('gap', '1em')}`,
      isOwners && `max-width: ${own('width', '30em')}; margin-inline: auto; margin-bottom: 0`,
      !isOwners && !isPopover && headGap !== undefined && `margin-top: ${headGap}`,
      // Without a smallest width a form of no width would be beside a picture that is as wide as the tag.
      isCover && 'min-width: 9em; max-width: 30em',
    ],
    !isStacked && !isFramed && [`${ofLayout} > label`, 'flex: 999 11em'],
    !isFramed && [`${form} b`, 'display: block; margin-bottom: .375em; font-size: .9375em'],
    [
      isFramed ? `${here} form > *` : `${form} :is(b + *, button)`,
      'box-sizing: border-box; width: 100%; min-height: 3em; padding: .5em .875em; font: inherit',
      !isOwners && 'height: auto; margin: 0',
      isFramed ? 'border: 0' : 'border: 1px solid',
      isOwners && `border-radius: ${own('radius', '.625em')}; color: inherit; background: none`,
    ],
    (isOwners || (!isStacked && !isFramed)) && [
      `${ofLayout} > button`,
      !isStacked && 'flex: 9em',
      isOwners && `font-weight: 600; color: ${own('on-accent', 'Canvas')}; background: ${own('accent', 'CanvasText')}`,
    ],
    // The script writes an error below its field, in a red that contrasts with white and with black.
    isOwners && [`${ofLayout} > p`, 'flex: 100%; margin: 0; color: #d93636'],
    isFramed && [`${here} form input`, 'flex: 999 11em; min-width: 0; color: inherit; background: none'],
    isFramed && [`${here} form button`, 'flex: auto; width: auto; padding: .5em 1.25em; font-weight: 600'],
  ];
}

/** Chips in a fieldset, and a single checkbox with its sentence in a div. */
function choiceRules({ form, isOwners, has }: Shape): Rules {
  const groups = ['fieldset', 'div'].filter(has);
  const group = groups.length > 1 ? `:is(${groups.join(', ')})` : groups.join('');
  return [
    has('fieldset') && [
      `${form} fieldset`,
      `${isOwners ? 'all: unset; ' : ''}display: flex; flex-wrap: wrap; gap: .5em`,
    ],
    has('fieldset') && [
      `${form} legend~label`,
      'display: flex; align-items: center; gap: .5em; box-sizing: border-box; min-height: 44px; padding: 0 .875em',
      'border: 1px solid',
    ],
    has('div') && [`${form} div label`, 'display: flex; align-items: center; gap: 1.125em; min-height: 44px'],
    groups.length > 0 && [`${form} ${group} input`, 'width: 1.125em; margin: 0; font: inherit'],
  ];
}

/**
 * A picture, beside the form from 34em on, above it in a narrower tag. 999 times the difference is more than either
 * limit of a clamp. The small print has a font size of .8125em.
 */
const coverRules = ({ here, before, isStacked, fills }: Shape): Rules => [
  [
    `${here} > img`,
    'float: inline-start; width: clamp(50% - 3em, (34em - 100%) * 999, 100%)',
    'margin-inline-end: 2em; margin-bottom: clamp(0px, (34em - 100%) * 999, 2em)',
    'aspect-ratio: 4 / 3; object-fit: cover',
  ],
  isStacked &&
    (fills('note') || fills('proof')) && [
      `${before} > p`,
      'margin-inline-start: clamp(0px, (100% - 41.846em) * 999, 50% - 1.2308em)',
    ],
];
