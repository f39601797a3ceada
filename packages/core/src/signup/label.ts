/** The label of a consent as forms show it and as it is recorded: one parser for both. */

/** A part of a label. */
export interface LabelPart {
  readonly text: string;
  /** Of a link; empty for plain text. */
  readonly address: string;
}

/** `[words]`, `[words](address)`, or text without square brackets. */
const parts = /\[([^[\]]+)\](?:\(([^\s()]*)\))?|[^[\]]+/g;

/**
 * The parts of a label, in which `[words](address)` and `[words]` are links. Every other square bracket is left out, so
 * that the texts of the parts are the label as people read it.
 *
 * @param href - the address of links without one
 */
export const partsOfLabel = (label: string, href = ''): readonly LabelPart[] =>
  [...label.matchAll(parts)].map(([text, words, address]) => ({
    text: words ?? text,
    address: words ? address || href : '',
  }));
