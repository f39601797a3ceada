/** How a form stands, and what a page shows of that. */
import type { Messages } from './messages.ts';

/** Where the form stands. */
export type SignupState = 'idle' | 'busy' | 'success' | 'error';

/** Takes back what was done. */
export type Undo = () => void;

/** Where the form stands, and how that shows. */
export interface Standing {
  readonly state: SignupState;
  /** What the notice says. Default: nothing. */
  readonly notice?: (texts: Messages) => string;
  /** What the notice says has changed for the eyes alone: screen readers keep to what they said before. */
  readonly isQuiet?: boolean;
  /** Changes in a form, ours or the owner's, for as long as it stands like this. */
  readonly mark?: (form: HTMLFormElement, texts: Messages) => Undo;
}
