/** `layout="dialog"`: renders, opens and closes the dialog, and decides when it may open by itself. */
import type { html, TemplateResult } from 'lit';
import { addSheet } from './add-sheet.ts';
import type { PageTools } from './attribution.ts';
import type { Messages } from './messages.ts';
import { dialogKey, updateStored } from './store.ts';

const styles = new CSSStyleSheet();
styles.replaceSync(`
  dialog {
    inline-size: var(--newsletter-width, 30em);
    margin: auto;
    font-size: max(16px, 1em);
    color: inherit;
    background: none;
    overflow: visible;
  }
  ::backdrop {
    background: #0008;
  }
  .dialog {
    max-block-size: 90dvb;
    background: var(--newsletter-surface, var(--_paper));
    overflow: auto;
    overscroll-behavior: contain;
  }
  .dialog [part='head'] {
    padding-inline-end: 2em;
  }
  [part='close'] {
    position: absolute;
    inset-block-start: 0.25em;
    inset-inline-end: 0.25em;
    inline-size: 44px;
    min-block-size: 44px;
    padding: 0;
    font: 1.5em sans-serif;
    color: var(--newsletter-text, inherit);
    background: none;
  }
  @supports not (color: light-dark(oklch(from currentColor l c h), red)) {
    dialog {
      color: CanvasText;
    }
    .dialog {
      background: var(--newsletter-surface, Canvas);
    }
  }
`);

/** The element whose form is in the dialog. */
type DialogHost = HTMLElement & { readonly storage: string };

/** Functions of the element's own file. */
type DialogTools = PageTools & { readonly html: typeof html };

export type Dialog = ReturnType<typeof createDialog>;

/**
 * The time until which dialogs of this page do not open by themselves, by the store with that time (`local`,
 * `session`); under any other name it applies until the page is closed.
 */
const silentUntil: Record<string, number> = {};

/** Whether another dialog is open or a field has the focus: then no dialog opens by itself. */
function isEngaged(): boolean {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return !!(active?.matches(':read-write,select,iframe') || document.querySelector(':modal,newsletter-signup[open]'));
}

export function createDialog(host: DialogHost, { hasConsent, html, oneOf }: DialogTools) {
  let listening: AbortController | undefined;
  let openOn = '';
  let askAgain = '';
  const fallback = host.querySelector<HTMLElement>('[slot=fallback]');
  const { activeElement } = host.getRootNode() as Document;
  /** Whether the visitor is in the fallback, or has opened it as a popover. */
  let isInFallback = !!fallback?.contains(activeElement) || !!(fallback?.popover && fallback.offsetHeight);

  const dialog = (): HTMLDialogElement | null => host.shadowRoot?.querySelector('dialog') ?? null;
  const setOpen = (isOpen: boolean): boolean => host.toggleAttribute('open', isOpen);
  const close = (): void => dialog()?.close();
  function isTrigger(target: EventTarget | null): boolean {
    const trigger = target instanceof Element ? target.closest('[data-newsletter-open],[slot=trigger]') : null;
    return trigger?.parentElement === host || trigger?.getAttribute('data-newsletter-open') === host.id;
  }

  /** @param target - of a click, which opens the dialog only on one of its triggers */
  function open(target?: EventTarget | null): void {
    if (target !== undefined && !isTrigger(target)) return;
    const element = dialog();
    if (!element?.isConnected) return;
    element.showModal();
    // Chromium would focus the scroll container of a dialog that is higher than the window.
    host.focus();
    setOpen(true);
  }

  /** Keeps dialogs from opening by themselves: on this page for ever, on other pages until the stored time. */
  function silence(store: string, until: number): void {
    silentUntil[store] = Math.max(until, silentUntil[store] ?? 0);
    isSilent();
  }

  /** Whether dialogs must not open by themselves, according to this page and the stores. */
  function isSilent(): boolean {
    let silent = Object.keys(silentUntil).length > 0;
    for (const store of hasConsent() && host.storage !== 'none' ? (['local', 'session'] as const) : []) {
      updateStored(store, dialogKey, (stored) => {
        const until = Math.max(silentUntil[store] ?? 0, Number(stored));
        if (until < Date.now()) return '';
        silent = true;
        return String(until);
      });
    }
    return silent;
  }

  /** Opens the dialog by itself, unless that is not allowed now. */
  function offer(): void {
    if (!isSilent() && !isEngaged()) open();
  }

  /** The number after a word of `open-on`; NaN without the word. */
  const amount = (word: string): number => parseInt(openOn.split(word)[1] ?? '');

  function listen(): void {
    const until = (listening = new AbortController());
    const onScroll = (): void => {
      if ((scrollY + innerHeight) / document.documentElement.scrollHeight >= amount('scroll') / 100) offer();
    };
    // Leaving: the mouse moves out at the top, to tabs and address bar. A touch pointer leaves whenever it is lifted.
    const onPointerOut = ({ pointerType, relatedTarget, clientY }: PointerEvent): void => {
      if (pointerType === 'mouse' && !relatedTarget && clientY <= 0 && openOn.includes('leave')) offer();
    };
    document.addEventListener('scroll', onScroll, until);
    document.addEventListener('pointerout', onPointerOut, until);
    // Its trigger opens the dialog instead. The attribute stays: React would miss it.
    fallback?.addEventListener('beforetoggle', (event) => event.preventDefault(), until);
    // Around the tag can be a form of the page, which a button would submit.
    document.addEventListener('click', (event) => isTrigger(event.target) && event.preventDefault(), until);
    document.addEventListener('newsletter-success', () => silence(host.storage, Infinity), until);
    document.addEventListener('newsletter-consent', isSilent, until);
    // A press on the backdrop closes the dialog. Not a click: a selection that is dragged out of a field ends there.
    host.shadowRoot?.addEventListener('mousedown', ({ target }) => target === dialog() && close(), until);
    host.shadowRoot?.addEventListener('close', onClose, { capture: true, signal: until.signal });
    let seconds = 0;
    const clock = setInterval(() => ++seconds >= amount('delay') && offer(), 1000);
    until.signal.addEventListener('abort', () => clearInterval(clock));
  }

  function onClose(): void {
    const days = parseFloat(askAgain);
    setOpen(false);
    if (days) silence(host.storage, Date.now() + days * 864e5);
    else silence(askAgain, Infinity);
  }

  return {
    /** Reads the element's attributes, and starts to listen for events that open the dialog. */
    update(): void {
      openOn = (host.getAttribute('open-on') || 'click')
        .split(/\W+(?=[a-z])/i)
        .map((occasion) =>
          oneOf(host, 'open-on', occasion, 'click', ...like(occasion, 'delay 10s', 'scroll 50%', 'leave')),
        )
        .join();
      const pause = host.getAttribute('ask-again') || 'page';
      askAgain = oneOf(host, 'ask-again', pause, 'page', ...like(pause, 'session', '30d'));
      addSheet(host, styles);
      if (!listening) listen();
    },
    /** Opens the dialog for a visitor who is in the fallback, before the focus moves to its form. */
    goOn(): void {
      if (isInFallback) open();
      isInFallback = false;
    },
    /** The dialog around the surface. */
    template: (surface: TemplateResult, { button, close: label }: Messages): TemplateResult =>
      html`<dialog part="dialog" aria-labelledby="head" aria-label=${button}>
        ${surface}
        <form method="dialog"><button part="close" aria-label=${label}>×</button></form>
      </dialog>`,
    open,
    close,
    /** Closes the dialog and stops listening. */
    stop(): void {
      close();
      setOpen(false);
      listening?.abort();
      listening = undefined;
    },
  };
}

/** The examples; the one that differs from a value in its number alone is replaced by the value. */
function like(value: string, ...examples: readonly string[]): readonly string[] {
  const words = (text: string): string => text.replace(/\W*\d.*/, '0');
  return examples.map((example) => (words(example) === words(value) ? value : example));
}
