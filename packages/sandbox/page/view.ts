/** The base class of the views of the web interface. */
import { PageElement, type Renderable } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import type { SandboxEvent as ServerEvent } from '../src/control/events.ts';

/** A live event of the sandbox, `/_sandbox/events`. */
export type SandboxEvent =
  | Exclude<ServerEvent, { readonly type: 'subscription' }>
  | (Extract<ServerEvent, { readonly type: 'subscription' }> & { readonly subscription: Subscription });

/** A subscription as a list shows it. */
export interface Subscription {
  readonly id: string;
  readonly email: string;
  readonly status: string;
  readonly created: number;
  readonly custom_fields?: readonly { readonly name: string; readonly value: unknown }[];
  readonly utm_source?: string;
  readonly utm_medium?: string;
  readonly utm_campaign?: string;
  readonly utm_channel?: string;
}

/** What a view shows beside its name in the navigation. */
export interface ViewBadge {
  readonly text: string;
  readonly mood?: 'wait';
}

/** A panel of the window. The element itself is the panel's region. */
export abstract class View extends PageElement {
  static override properties = { chosen: { type: Boolean } };
  declare chosen: boolean;
  /** The view's place in the address, `#/name`. */
  abstract readonly name: string;
  abstract readonly heading: string;
  /** Whether any event may change what the view shows. */
  readonly follows: boolean = false;
  #badge: ViewBadge = { text: '' };

  get badge(): ViewBadge {
    return this.#badge;
  }

  /** Announces a changed badge to the window. */
  protected set badge(badge: ViewBadge) {
    this.#badge = badge;
    this.dispatchEvent(new Event('view-badge', { bubbles: true }));
  }

  /** Reads the view's state from the sandbox. */
  abstract refresh(): Promise<void>;

  /** Handles one live event. */
  receive(_event: SandboxEvent): void {}

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
      ${this.content()}`;
  }

  protected abstract content(): Renderable;
}

/** A list that scrolls by itself and can be reached by keyboard. */
export function scrollingList(label: string, items: readonly TemplateResult[], empty: Renderable): TemplateResult {
  return html`<div class="scroll" tabindex="0" role="group" aria-label=${label}>
    <ol class="entries">${items}</ol>
    ${items.length === 0 && empty !== '' ? html`<p class="empty">${empty}</p>` : nothing}
  </div>`;
}

/** The value of a control. */
export function valueOf(root: ParentNode, selector: string): string {
  return root.querySelector<HTMLInputElement | HTMLSelectElement>(selector)?.value ?? '';
}
