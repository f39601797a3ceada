/** Elements with state: the toast, the confirmation dialog, and the base class of the pages' own elements. */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { button, type Renderable } from './components.ts';

/** Renders into the page itself: the page's stylesheet applies, and ids are the page's. */
export abstract class PageElement extends LitElement {
  protected override createRenderRoot(): this {
    return this;
  }
}

/** How long a toast is shown, in milliseconds. */
const toastMs = 6000;

/** `<page-toast>`: a live region that shows a sentence for a moment. */
class PageToast extends PageElement {
  static override properties = { text: { state: true } };
  declare text: string;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.text = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.role = 'status';
  }

  show(text: string): void {
    this.text = text;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.text = ''), toastMs);
  }

  protected override render(): TemplateResult | typeof nothing {
    return this.text === '' ? nothing : html`<span>${this.text}</span>`;
  }
}

/** Shows a sentence in the page's `<page-toast>` and announces it. */
export function toast(text: string): void {
  document.querySelector<PageToast>('page-toast')?.show(text);
}

/** Shows the message of an error in the page's `<page-toast>`. */
export function toastError(error: unknown): void {
  toast(error instanceof Error ? error.message : String(error));
}

/**
 * A button that copies a text to the clipboard. Where the browser does not allow that, or has no clipboard because the
 * page came without TLS, it selects the text beside it.
 *
 * @param what - names the text, for the accessible name and the confirmation
 */
export function copyButton(text: string, what: string, label?: string): TemplateResult {
  return button({
    label: label ?? 'Copy',
    kind: label === undefined ? 'quiet' : 'plain',
    name: label === undefined ? `Copy ${what}` : `${label}: ${what}`,
    onClick: async ({ currentTarget }) => {
      const shown = currentTarget instanceof Element ? currentTarget.parentElement?.querySelector('pre, code') : null;
      try {
        await navigator.clipboard.writeText(text);
        toast(`Copied ${what}.`);
      } catch {
        if (shown) getSelection()?.selectAllChildren(shown);
        toast(`The browser did not allow the text to be copied.${shown ? ' It is selected: press Ctrl+C or ⌘C.' : ''}`);
      }
    },
  });
}

/** A question for {@link ConfirmDialog}. */
export interface Question {
  readonly title: string;
  readonly text: string;
  /** Label of the button for yes. */
  readonly yes: string;
  /** Default: `danger` */
  readonly yesKind?: 'danger' | 'primary';
  /** Further controls between the text and the buttons. */
  readonly controls?: Renderable;
}

/**
 * `<confirm-dialog name="confirm">` asks for a confirmation. Escape and Cancel mean no. The ids of its parts begin with
 * its name.
 */
export class ConfirmDialog extends PageElement {
  static override properties = { name: {}, question: { state: true } };
  declare name: string;
  declare question: Question | undefined;

  constructor() {
    super();
    this.name = 'confirm';
  }

  /** Opens the dialog. @returns whether the answer is yes */
  async ask(question: Question): Promise<boolean> {
    this.question = question;
    await this.updateComplete;
    const dialog = this.#dialog();
    if (!dialog) return false;
    dialog.returnValue = '';
    dialog.showModal();
    return new Promise((resolve) => {
      dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
    });
  }

  /** Closes the dialog with the answer no. */
  cancel(): void {
    this.#dialog()?.close('');
  }

  #dialog(): HTMLDialogElement | null {
    return this.querySelector('dialog');
  }

  protected override render(): TemplateResult {
    const { name, question } = this;
    return html`<dialog id=${name} aria-labelledby="${name}-title" aria-describedby="${name}-text">
      <h2 id="${name}-title">${question?.title}</h2>
      <p id="${name}-text">${question?.text}</p>
      ${question?.controls ?? nothing}
      <div class="actions end">
        <button type="button" id="${name}-no" autofocus @click=${() => this.cancel()}>Cancel</button>
        <button type="button" id="${name}-yes" class=${question?.yesKind ?? 'danger'} @click=${() => this.#dialog()?.close('yes')}
          >${question?.yes}</button
        >
      </div>
    </dialog>`;
  }
}

customElements.define('page-toast', PageToast);
customElements.define('confirm-dialog', ConfirmDialog);

declare global {
  interface HTMLElementTagNameMap {
    'page-toast': PageToast;
    'confirm-dialog': ConfirmDialog;
  }
}
