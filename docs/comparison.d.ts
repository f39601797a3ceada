/** By address; the first of the month where the day was not written down. */
export declare const readOn: Readonly<Partial<Record<string, string>>>;
/** A cell about somebody else's product. */
export interface Cell {
  readonly row: string;
  readonly column: string;
  /** The link in the cell, else that of its column; undefined for a column without one. */
  readonly source: string | undefined;
}
/** The cells of every table of the page, without the columns about Newsletter Kit. */
export declare function comparedCells(page?: string): readonly Cell[];
/** The cells whose source was read more than six months before the day. */
export declare function oldCells(today: Date, cells?: readonly Cell[]): readonly Cell[];
