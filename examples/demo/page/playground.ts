/** `<signup-playground>`: controls, preview and snippets of one setup, which is kept in the address. */
import { button, copyButton, dateTime, emptyState, PageElement } from '@newsletter-kit/pages';
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { readEndpoint } from './endpoint.ts';
import { exampleSetups, withExample } from './examples.ts';
import { consentSentences } from './fallback.ts';
import { choice, optionPanel, segments } from './option-panel.ts';
import { directions, endpointKey, type Options } from './options.ts';
import { places, snippetsFor } from './places.ts';
import { Preview } from './preview.ts';
import { colorScheme, initialSetup, readSetup, schemes, widths, writeSetup, type Setup } from './setup.ts';
import { stateNames } from './states.ts';
import { tagWithForm } from './tag.ts';

interface LoggedEvent {
  readonly id: number;
  readonly at: Date;
  readonly event: Event;
}

/** Bounds of the preview's height, in pixels. */
const previewHeight = { min: 180, max: 900 } as const;
const eventLimit = 50;
const languageNames = new Intl.DisplayNames('en', { type: 'language' });
const rightToLeft = new Set(['ar', 'he']);
/** Whom a sentence of a consent is for. */
const consentPlace =
  'For whoever runs the relay: until this exact sentence is in RELAY_CONSENT_SENTENCES there, no consent is recorded';
const placeNames = new Map(Object.entries(places).map(([platform, { name }]) => [platform, name]));

class SignupPlayground extends PageElement {
  static override properties = {
    endpoint: {},
    preview: {},
    options: { type: Object },
    setup: { state: true },
    turn: { state: true },
    height: { state: true },
    events: { state: true },
  };
  /** The relay's address, for states that have no made-up answer. */
  declare endpoint: string;
  /** The address of the page in the frame. */
  declare preview: string;
  declare options: Options;
  declare setup: Setup;
  /** Runs the state again when it changes. */
  declare turn: number;
  declare height: number;
  /** Newest first. */
  declare events: readonly LoggedEvent[];

  #preview: Preview | undefined;
  /** The control that was typed into last: one run of typing is one step of the Back button. */
  #lastTyped = '';
  #eventCount = 0;

  constructor() {
    super();
    this.endpoint = '';
    this.preview = '/playground/preview';
    this.turn = 0;
    this.height = previewHeight.min;
    this.events = [];
    this.setup = initialSetup;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const read = (): void => {
      this.setup = readSetup(new URLSearchParams(location.search), this.options);
      this.#lastTyped = '';
    };
    read();
    addEventListener('popstate', read);
  }

  #change(next: Setup, typed = ''): Promise<unknown> {
    this.setup = next;
    const query = writeSetup(next);
    const address = query ? `?${query}` : location.pathname;
    if (typed !== '' && typed === this.#lastTyped) history.replaceState(null, '', address);
    else history.pushState(null, '', address);
    this.#lastTyped = typed;
    return this.updateComplete;
  }

  /** Reads the whole form: its names are those of the address. */
  #read({ currentTarget, target }: Event): void {
    if (!(currentTarget instanceof HTMLFormElement)) return;
    const entries = [...new FormData(currentTarget)].map(([name, value]) =>
      value instanceof File ? [name, ''] : [name, value],
    );
    const next = readSetup(new URLSearchParams(entries), this.options);
    if (next.language !== this.setup.language) {
      void this.#change({ ...next, direction: rightToLeft.has(next.language) ? 'rtl' : 'ltr' });
      return;
    }
    const isTyped = target instanceof HTMLInputElement && !/^(radio|checkbox)$/.test(target.type);
    void this.#change(next, isTyped ? target.name || 'colour' : '');
  }

  #open({ currentTarget }: Event): void {
    const view = currentTarget instanceof HTMLIFrameElement ? currentTarget.contentDocument?.defaultView : undefined;
    if (!view) return;
    this.#preview = new Preview(
      view,
      this.options.events,
      (event) =>
        (this.events = [{ id: this.#eventCount++, at: new Date(), event }, ...this.events].slice(0, eventLimit)),
      (pixels) => (this.height = Math.min(Math.max(pixels, previewHeight.min), previewHeight.max)),
    );
    this.#show();
  }

  #show(): void {
    const { endpoint, turn, setup } = this;
    void this.#preview?.show({ ...setup, tag: tagWithForm(setup, this.options), endpoint, turn });
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('setup') || changed.has('turn')) this.#show();
  }

  protected override render(): TemplateResult {
    const { setup, options } = this;
    return html`${this.#examples()}
      <main>
        <form @input=${(event: Event) => this.#read(event)} @submit=${(event: Event) => event.preventDefault()}>
          <section class="panel" aria-labelledby="options-title">
            <div class="heading">
              <h2 id="options-title">Options</h2>
              ${button({
                id: 'start-over',
                label: 'Start over',
                kind: 'quiet',
                onClick: () => this.#change({ ...initialSetup, platform: setup.platform }),
              })}
            </div>
            ${optionPanel(options, setup, (fields) => this.#change({ ...setup, fields }))}
          </section>
          <div class="work">
            <section id="preview" tabindex="-1" aria-labelledby="preview-title">
              <h2 id="preview-title">Preview</h2>
              ${this.#viewControls()} ${this.#frame()}
            </section>
            <section aria-labelledby="copy-title">
              <h2 id="copy-title">Copy</h2>
              <label class="bar">For ${choice('platform', placeNames, setup.platform)}</label>
              ${this.#endpoint()} ${this.#snippets()}
            </section>
            <section aria-labelledby="events-title">${this.#eventLog()}</section>
          </div>
        </form>
      </main>`;
  }

  /** Links, so that each example has an address to share. */
  #examples(): TemplateResult {
    return html`<nav class="examples" aria-label="Examples">
      ${exampleSetups.map((example) => {
        const setup = withExample(this.setup, example);
        return html`<a
            href="?${writeSetup(setup)}"
            @click=${(event: MouseEvent) => {
              if (event.ctrlKey || event.metaKey || event.shiftKey) return;
              event.preventDefault();
              void this.#change(setup);
            }}
            >${example.title}</a
          >`;
      })}
    </nav>`;
  }

  #viewControls(): TemplateResult {
    const { width, scheme, direction, language, state } = this.setup;
    const languages = new Map(this.options.languages.map((tag) => [tag, languageNames.of(tag) ?? tag]));
    return html`<div class="bar">
      ${segments('Width', 'width', widths, width)} ${segments('Colours', 'scheme', schemes, scheme)}
      ${segments('Direction', 'direction', directions, direction)}
      <label class="bar">Language ${choice('language', languages, language)}</label>
      ${segments('State', 'state', stateNames, state)}
      ${button({ label: 'Again', name: 'Show the state again', onClick: () => (this.turn += 1) })}
    </div>`;
  }

  /** A frame, so that its width is the viewport of the form. */
  #frame(): TemplateResult {
    const { width, scheme } = this.setup;
    return html`<div class="frame" .style=${`--width: ${width}px; --height: ${this.height}px; color-scheme: ${colorScheme(scheme)}`}>
      <iframe title="Preview, ${width} pixels wide" src=${this.preview} @load=${(event: Event) => this.#open(event)}></iframe>
    </div>`;
  }

  /** What was made of the address that was typed. */
  #endpoint(): TemplateResult {
    const typed = this.setup.values[endpointKey]?.trim();
    const { address, relay } = readEndpoint(typed);
    const about = relay ? 'a relay, which serves the script too' : 'no relay: the script has to be on your website';
    return html`<p id="endpoint" class="soft" role="status">
      ${typed ? html`Endpoint: <code>${address}</code>, ${about}.` : html`Enter the address of your relay as <code>endpoint</code>.`}
    </p>`;
  }

  #snippets(): TemplateResult {
    const { setup, options } = this;
    const sentences = consentSentences(tagWithForm(setup, options)).map((code) => ({ place: consentPlace, code }));
    return html`<div id="snippets">
      ${[...snippetsFor(setup, options), ...sentences].map(
        ({ place, code }) =>
          html`<div class="snippet">
            <h3><bdi>${place}</bdi></h3>
            ${copyButton(code, `the snippet: ${place}`)}
            <pre tabindex="0" role="region" aria-label=${place}><code>${code}</code></pre>
          </div>`,
      )}
    </div>`;
  }

  #eventLog(): TemplateResult {
    return html`<div class="heading">
        <h2 id="events-title">Events</h2>
        ${button({ label: 'Clear', kind: 'quiet', name: 'Clear events', onClick: () => (this.events = []) })}
      </div>
      ${this.events.length === 0 ? emptyState('Submit the form, or choose a state above: the events of the tag appear here.') : nothing}
      <ol id="events" aria-live="polite" aria-labelledby="events-title">
        ${repeat(
          this.events,
          ({ id }) => id,
          ({ at, event }) =>
            html`<li>${dateTime(at, { short: true })} <strong>${event.type}</strong> <code>${carried(event)}</code></li>`,
        )}
      </ol>`;
  }
}

/** The fields of an event of the tag. */
function carried(event: Event): string {
  return JSON.stringify(Object.fromEntries(Object.entries(event).filter(([name]) => name !== 'isTrusted')));
}

customElements.define('signup-playground', SignupPlayground);
