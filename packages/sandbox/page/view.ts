/** The base class of the views of the web interface. */
import { PageElement, throttle, toast, toastError, type Renderable } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';

/** What a view shows beside its name in the navigation. */
export interface ViewBadge {
  readonly text: string;
  readonly mood?: 'wait';
}

/** Pause between two reads while a person types, in milliseconds. */
const readPause = 200;

/** A panel of the window, with a state that it reads from the sandbox. The element itself is the panel's region. */
export abstract class View<State = unknown> extends PageElement {
  static override properties = { chosen: { type: Boolean }, state: { state: true } };
  declare chosen: boolean;
  /** What was read last. */
  declare state: State | undefined;
  /** The view's place in the address, `#/name`. */
  abstract readonly name: string;
  abstract readonly heading: string;
  /** The number of the latest read; the results of earlier ones are dropped. */
  #latest = 0;

  get badge(): ViewBadge {
    return this.state === undefined ? { text: '' } : this.badgeOf(this.state);
  }

  /** Reads the view's state from the sandbox, and tells the window with the event `view-read`. */
  async refresh(): Promise<void> {
    const number = (this.#latest += 1);
    const state = await this.read();
    if (number !== this.#latest) return;
    this.state = state;
    this.dispatchEvent(new Event('view-read', { bubbles: true }));
  }

  /** Reads the state for a control that narrows it. */
  protected readonly readNow = (): void => void this.refresh().catch(toastError);
  /** As {@link View.readNow}, while a person types. */
  protected readonly readSoon = throttle(this.readNow, readPause);

  /** Waits for a change, says what came of it, and reads the state again. */
  protected async change<Answer>(sent: Promise<Answer>, said?: (answer: Answer) => string): Promise<void> {
    try {
      const answer = await sent;
      if (said) toast(said(answer));
      await this.refresh();
    } catch (error) {
      toastError(error);
    }
  }

  protected abstract read(): Promise<State>;

  protected abstract content(state: State): Renderable;

  protected badgeOf(_state: State): ViewBadge {
    return { text: '' };
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.id = `panel-${this.name}`;
    this.role = 'region';
    this.setAttribute('aria-labelledby', `title-${this.name}`);
    this.classList.add('panel');
  }

  protected override updated(): void {
    this.classList.toggle('chosen', this.chosen);
  }

  protected override render(): TemplateResult {
    return html`<h2 id="title-${this.name}">${this.heading}</h2>
      ${this.state === undefined ? nothing : this.content(this.state)}`;
  }
}

/** The value of a control. */
export function valueOf(root: ParentNode, selector: string): string {
  return root.querySelector<HTMLInputElement | HTMLSelectElement>(selector)?.value ?? '';
}
