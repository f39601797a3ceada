/** `layout="dialog"`: what opens the form, how it is closed, and when it may come by itself. */
import { html, type TemplateResult } from 'lit';
import type { Messages } from './messages.ts';
import { isQuiet, type Quiet } from './quiet.ts';
import { oneOf } from './warn.ts';

/** The element whose form stands in the dialog. */
export interface DialogHost extends HTMLElement {
  readonly renderRoot: HTMLElement | DocumentFragment;
  layout: string;
  readonly storage: string;
}

export interface Dialog {
  /** The dialog around `content`; whoever draws it has it watch for occasions, too. */
  view(texts: Messages, content: TemplateResult): TemplateResult;
  open(): void;
  close(): void;
  /** Closes it and ends the watch: the form has left the page, or is no dialog any more. */
  stop(): void;
}

/**
 * True where a dialog would come between the visitor and something else: another dialog, or a field that is being
 * filled in.
 */
function isEngaged(): boolean {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return !!(active?.matches(':read-write,select,iframe') || document.querySelector(':modal,newsletter-signup[open]'));
}

export function createDialog(host: DialogHost): Dialog {
  let watch: AbortController | undefined;
  /** What it opens on besides its triggers, and when it may again once it was closed. */
  let openOn = '';
  let askAgain = '';

  const dialog = (): HTMLDialogElement | null => host.renderRoot.querySelector('dialog');
  const show = (isOpen: boolean): boolean => host.toggleAttribute('open', isOpen);
  const close = (): void => dialog()?.close();
  function open(): void {
    dialog()?.showModal();
    // Where the dialog is higher than the window, Chromium would begin at what scrolls.
    host.focus();
    show(true);
  }
  const rests = (...quiet: Quiet): boolean => isQuiet(host.storage !== 'none', ...quiet);
  /** Opens it where that is welcome. */
  const offer = (): unknown => rests() || isEngaged() || open();
  /** The number behind a word of `open-on`; nothing is more than it where there is none. */
  const amount = (word: string): number => parseInt(openOn.split(word)[1] ?? '');

  function start(): void {
    const { signal } = (watch = new AbortController());
    const hear = <Type extends keyof DocumentEventMap>(
      type: Type,
      heard: (event: DocumentEventMap[Type]) => unknown,
    ): void => document.addEventListener(type, heard, watch);
    hear('click', ({ target }) => {
      const trigger = target instanceof Element && target.closest('[data-newsletter-open],[slot=trigger]');
      if (trigger && (trigger.parentElement === host || trigger.getAttribute('data-newsletter-open') === host.id))
        open();
    });
    hear(
      'scroll',
      () => (scrollY + innerHeight) / document.documentElement.scrollHeight >= amount('scroll') / 100 && offer(),
    );
    // Towards tabs and address, with a mouse: fingers leave the page whenever they are lifted.
    hear(
      'pointerout',
      ({ pointerType, relatedTarget, clientY }) =>
        pointerType === 'mouse' && !relatedTarget && clientY <= 0 && openOn.includes('leave') && offer(),
    );
    hear('newsletter-success', () => rests(host.storage, Infinity));
    hear('newsletter-consent', () => rests());
    // Pressed beside the form, it closes. A selection that is drawn out of a field begins inside.
    host.renderRoot.addEventListener('mousedown', ({ target }) => target === dialog() && close(), watch);
    host.renderRoot.addEventListener('close', onClose, { capture: true, signal });
    let seconds = 0;
    const clock = setInterval(() => ++seconds >= amount('delay') && offer(), 1000);
    signal.addEventListener('abort', () => clearInterval(clock));
  }

  function onClose(): void {
    const days = parseFloat(askAgain);
    show(false);
    rests(days ? host.storage : askAgain, days ? Date.now() + days * 864e5 : Infinity);
  }

  return {
    view({ button, close: text }, content) {
      openOn = (host.getAttribute('open-on') || 'click')
        .split(/\W+(?=[a-z])/i)
        .map((occasion) => oneOf(host, 'open-on', occasion, 'click', 'delay 10s', 'scroll 50%', 'leave'))
        .join();
      askAgain = oneOf(host, 'ask-again', host.getAttribute('ask-again') || 'page', 'page', 'session', '30d');
      if (!watch && host.isConnected) start();
      return html`<dialog part="dialog" aria-labelledby="head" aria-label=${button}>
        ${content}
        <form method="dialog"><button part="close" aria-label=${text}>×</button></form>
      </dialog>`;
    },
    open,
    close,
    stop() {
      close();
      show(false);
      watch?.abort();
      watch = undefined;
    },
  };
}
