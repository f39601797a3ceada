/** What a value of a request or an answer is: the schemas as plain data, for programs that carry no schema library. */

/** A value. */
export type Shape = ObjectShape | ListShape | UnionShape | ValueShape;

/** Whether it may be left out or be null, and what it must be where that is more than its kind. */
interface Presence {
  readonly optional?: true;
  readonly nullable?: true;
  readonly problem?: string;
}

/** An object with these fields. */
export interface ObjectShape extends Presence {
  readonly is: 'object';
  readonly of: Readonly<Record<string, Shape>>;
}

/** A list, or an object with any keys, of values of one shape. */
export interface ListShape extends Presence {
  readonly is: 'array' | 'record';
  readonly of: Shape;
  /** Fewest and most members. */
  readonly min?: number;
  readonly max?: number;
}

/** One of several shapes. */
export interface UnionShape extends Presence {
  readonly is: 'union';
  readonly of: readonly Shape[];
}

/** A value without members. */
export interface ValueShape extends Presence {
  readonly is: 'any' | 'null' | 'boolean' | 'string' | 'number' | 'integer';
  /** Of texts in requests: the words that are known, which `open` says are not all. */
  readonly words?: readonly string[];
  readonly open?: true;
  /** Least and largest number, or fewest characters. */
  readonly min?: number;
  readonly max?: number;
  /** Whether a text may stand for the number, as in a query. */
  readonly coerce?: true;
  /** Of texts: an e-mail address, a text without blanks around it, or one that fits a pattern. */
  readonly form?: 'address' | 'trimmed';
  readonly pattern?: string;
}

/** Query and body that an operation takes, and what it answers. */
export interface OperationShapes {
  readonly query?: ObjectShape;
  readonly body?: ObjectShape;
  readonly answer: Shape;
}
