/**
 * The space that a page reserves for the form until the script is loaded: a style sheet with the form's height as a
 * piecewise linear function of its width, fitted to heights that a preview measured.
 */
import { rule } from './markup.ts';

/** Height of the form at a width, in pixels. */
export interface Sample {
  readonly width: number;
  readonly height: number;
}

/** The measured widths, in pixels: from a narrow column to the largest width of the layout `cover`. */
export const measured = { from: 220, to: 960, step: 2 } as const;

/** The largest error of a height, in pixels. Browsers count a layout shift from 3 pixels. */
const tolerance = 1;

/** A piece of a piecewise linear function: `height = offset + slope * width`, from the width `from`. */
interface Piece {
  readonly from: number;
  readonly offset: number;
  readonly slope: number;
}

const lineThrough = (one: Sample, other: Sample): Omit<Piece, 'from'> => {
  const slope = one === other ? 0 : (other.height - one.height) / (other.width - one.width);
  return { slope, offset: one.height - slope * one.width };
};

/** Fits pieces to the samples; each piece is extended while its error stays within the tolerance. */
export function pieces(samples: readonly Sample[]): readonly Piece[] {
  const found: Piece[] = [];
  for (let start = 0, end: number; start < samples.length; start = end) {
    const first = samples[start];
    if (!first) break;
    let line = lineThrough(first, first);
    for (end = start + 1; end < samples.length; end += 1) {
      const next = samples[end];
      if (!next) break;
      // A line of text that wraps at this width raises the height and begins another piece.
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
 * The style sheet that reserves the height. The element is the container of the query, and its content is hidden until
 * it is defined. Without scripting, nothing is reserved or hidden.
 *
 * @param undefinedForm - selector of the element before the script is loaded
 * @param samples - empty for a dialog, which takes no space
 */
export function reservation(undefinedForm: string, samples: readonly Sample[]): string {
  const indent = (text: string): string => text.replaceAll(/^/gm, '  ');
  const space = `${undefinedForm}::before`;
  const [narrowest, ...wider] = pieces(samples);
  const rules = [
    // The button that opens a dialog stays visible.
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
