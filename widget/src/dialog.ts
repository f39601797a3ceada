/** `layout="dialog"`: what opens the form, how it is closed, and when it may come by itself. */
import type { html as Html, TemplateResult } from 'lit';
import type { Messages } from './messages.ts';
import { dialogStyles } from './dialog.styles.ts';
import { isQuiet, keepQuiet } from './quiet.ts';
import type { oneOf as OneOf } from './warn.ts';

/** The element whose form stands in the dialog. */
export interface DialogHost extends HTMLElement {
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

/** True where a dialog would come between the visitor and something else: another dialog, or a field that is being filled in. */
function isEngaged(): boolean {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return !!(active?.matches(':read-write,select,iframe') || document.querySelector(':modal,newsletter-signup[open]'));
}

/**
 * @param html - makes the templates that the form itself is made of
 * @param consent - whether the visitor lets us store something
 * @param oneOf - warns of attributes that mean nothing
 */
export function createDialog(host: DialogHost, html: typeof Html, consent: () => boolean | undefined, oneOf: typeof OneOf): Dialog {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(dialogStyles);

  let watch: AbortController | undefined;
  /** What it opens on besides its triggers, and when it may again once it was closed. */
  let openOn = '';
  let askAgain = '';

  const dialog = (): HTMLDialogElement | null => host.shadowRoot?.querySelector('dialog') ?? null;
  const show = (isOpen: boolean): boolean => host.toggleAttribute('open', isOpen);
  const close = (): void => dialog()?.close();
  function open(): void {
    dialog()?.showModal();
    // Where the dialog is higher than the window, Chromium would begin at what scrolls.
    host.focus();
    show(true);
  }
  const rests = (): boolean => isQuiet(!!consent() && host.storage !== 'none');
  function rest(store: string, until: number): void {
    keepQuiet(store, until);
    rests();
  }
  /** Opens it where that is welcome. */
  const offer = (): unknown => rests() || isEngaged() || open();
  /** The number behind a word of `open-on`; nothing is more than it where there is none. */
  const amount = (word: string): number => parseInt(openOn.split(word)[1] ?? '');

  const hears = {
    click({ target }: Event) {
      const trigger = target instanceof Element && target.closest('[data-newsletter-open],[slot=trigger]');
      if (trigger && (trigger.parentElement === host || trigger.getAttribute('data-newsletter-open') === host.id)) open();
    },
    scroll() {
      if ((scrollY + innerHeight) / document.documentElement.scrollHeight >= amount('scroll') / 100) offer();
    },
    /** Towards tabs and address, with a mouse: fingers leave the page whenever they are lifted. */
    pointerout({ pointerType, relatedTarget, clientY }: PointerEvent) {
      if (pointerType === 'mouse' && !relatedTarget && clientY <= 0 && openOn.includes('leave')) offer();
    },
    'newsletter-success': () => rest(host.storage, Infinity),
    'newsletter-consent': rests,
  } as const;

  function start(): void {
    watch = new AbortController();
    // A form that was in another document has lost what it was given before.
    const sheets = host.shadowRoot?.adoptedStyleSheets;
    if (!sheets?.includes(sheet)) sheets?.push(sheet);
    const { signal } = watch;
    for (const [type, hear] of Object.entries(hears)) document.addEventListener(type, hear as EventListener, { signal });
    // Pressed beside the form, it closes. A selection that is drawn out of a field begins inside.
    host.shadowRoot?.addEventListener('mousedown', ({ target }) => target === dialog() && close(), { signal });
    host.shadowRoot?.addEventListener('close', onClose, { capture: true, signal });
    let seconds = 0;
    const clock = setInterval(() => ++seconds >= amount('delay') && offer(), 1000);
    signal.addEventListener('abort', () => clearInterval(clock));
  }

  function onClose(): void {
    const days = parseFloat(askAgain);
    show(false);
    rest(days ? host.storage : askAgain, days ? Date.now() + days * 864e5 : Infinity);
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
