/**
 * The space that a page keeps free for the form until the script has come: the form's height as a function of the width
 * that it has, measured in a preview and written as a style sheet.
 */
import { rule } from './markup.ts';

/** Height of the form in a place of this width, in pixels. */
export interface Sample {
  readonly width: number;
  readonly height: number;
}

/** Widths that are measured: from a narrow column to the largest width of the layout `cover`, in pixels. */
export const measured = { from: 220, to: 960, step: 2 } as const;

/** Pixels by which a height may differ from the measured one; browsers count a movement from 3 pixels on. */
const tolerance = 1;

/** One line of a piecewise linear function: `height = offset + slope * width`, from a width on. */
interface Piece {
  readonly from: number;
  readonly offset: number;
  readonly slope: number;
}

const lineThrough = (one: Sample, other: Sample): Omit<Piece, 'from'> => {
  const slope = one === other ? 0 : (other.height - one.height) / (other.width - one.width);
  return { slope, offset: one.height - slope * one.width };
};

/** As few lines as follow the samples: each goes on as far as it stays within the tolerance. */
export function pieces(samples: readonly Sample[]): readonly Piece[] {
  const found: Piece[] = [];
  for (let start = 0, end: number; start < samples.length; start = end) {
    const first = samples[start];
    if (!first) break;
    let line = lineThrough(first, first);
    for (end = start + 1; end < samples.length; end += 1) {
      const next = samples[end];
      if (!next) break;
      // Within a sample of the step before: a form that is one line higher from here on is another piece.
      const longer =
        Math.abs(next.height - (line.offset + line.slope * next.width)) <= tolerance ? line : lineThrough(first, next);
      const fits = samples
        .slice(start, end + 1)
        .every(({ width, height }) => Math.abs(height - (longer.offset + longer.slope * width)) <= tolerance);
      if (!fits) break;
      line = longer;
    }
    found.push({ from: first.width, ...line });
  }
  return found;
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

function blockSize({ offset, slope }: Piece): string {
  const fixed = `${rounded(offset / 16)}rem`;
  return slope === 0 ? fixed : `calc(${fixed} + ${rounded(slope * 100)}cqi)`;
}

/**
 * Style sheet that reserves the height. The element itself is the container of the query, so that its own width
 * decides, and its content waits until it is in its place. Without scripting nothing is reserved and all is shown.
 *
 * @param undefinedForm - selects the element before it is a form
 * @param samples - none for a dialog, which takes no space
 */
export function reservation(undefinedForm: string, samples: readonly Sample[]): string {
  const indent = (text: string): string => text.replaceAll(/^/gm, '  ');
  const space = `${undefinedForm}::before`;
  const [narrowest, ...wider] = pieces(samples);
  const rules = [
    // Of a dialog, what opens it is shown.
    rule(`${undefinedForm} > ${narrowest ? '*' : ":not([slot='trigger'])"}`, { display: 'none' }),
    ...(narrowest
      ? [
          rule(undefinedForm, {
            display: 'block',
            'container-type': 'inline-size',
            'contain-intrinsic-inline-size': '30rem',
          }),
          rule(space, { content: "''", display: 'block', 'block-size': blockSize(narrowest) }),
        ]
      : []),
    ...wider.map(
      (piece) =>
        `@container (inline-size >= ${rounded(piece.from / 16)}rem) {\n${indent(rule(space, { 'block-size': blockSize(piece) }))}\n}`,
    ),
  ];
  return `@media (scripting: enabled) {\n${indent(rules.join('\n'))}\n}`;
}
