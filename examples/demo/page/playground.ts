/** `<signup-playground>`: controls, previews and snippets of one setup, which is kept in the address. */
import { button, dateTime, emptyState, PageElement, toast } from '@newsletter-kit/pages';
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { repeat } from 'lit/directives/repeat.js';
import { exampleSetups } from './examples.ts';
import { optionPanel, segments } from './option-panel.ts';
import type { Options } from './options.ts';
import type { PreviewReport, Show } from './preview.ts';
import { initialSetup, isPlatform, platforms, readSetup, widths, writeSetup, type Setup } from './setup.ts';
import { snippetsFor, type Snippet } from './snippets.ts';
import { stateTitles } from './states.ts';
import { tagWithForm } from './tag.ts';

interface LoggedEvent {
  readonly id: number;
  readonly at: Date;
  readonly name: string;
  readonly carries: Readonly<Record<string, unknown>>;
}

type Width = Exclude<Setup['width'], 'all'>;

const previewWidths = widths.filter((width) => width !== 'all');
/** Bounds of a preview's height, in pixels. */
const previewHeight = { min: 180, max: 900 } as const;
const eventLimit = 50;
/** How long the button of a snippet says that it was copied, in milliseconds. */
const copiedMs = 2500;
const languageNames = new Intl.DisplayNames('en', { type: 'language' });
const rightToLeft = new Set(['ar', 'he']);

class SignupPlayground extends PageElement {
  static override properties = {
    endpoint: {},
    preview: {},
    options: { type: Object },
    setup: { state: true },
    heights: { state: true },
    events: { state: true },
    copied: { state: true },
  };
  /** The relay's address, for previews whose state has no made-up answer. */
  declare endpoint: string;
  /** The address of the page in the frames. */
  declare preview: string;
  declare options: Options;
  declare setup: Setup;
  declare heights: Readonly<Partial<Record<Width, number>>>;
  /** Newest first. */
  declare events: readonly LoggedEvent[];
  /** The snippet that was copied last, and what its button says for a moment. */
  declare copied: { readonly place: string; readonly label: string } | undefined;

  /** Widths whose preview was visible once: it is loaded then, and stays. */
  readonly #loaded = new Set<Width>();
  readonly #ready = new Set<Width>();
  #turn = 0;
  /** Fits the previews into a narrow window. */
  readonly #resizes = new ResizeObserver(() => this.#fitFrames());
  /** The control that was typed into last: one run of typing is one step of the Back button. */
  #lastTyped = '';
  #eventCount = 0;

  constructor() {
    super();
    this.endpoint = '';
    this.preview = '/playground/preview';
    this.heights = {};
    this.events = [];
    this.setup = initialSetup;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.setup = readSetup(location.search, this.options);
    addEventListener('popstate', () => {
      this.setup = readSetup(location.search, this.options);
      this.#lastTyped = '';
    });
    addEventListener('message', (message: MessageEvent<PreviewReport>) => this.#receive(message));
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

  #isVisible(width: Width): boolean {
    return this.setup.width === 'all' || this.setup.width === width;
  }

  #frame(selector: string): Window | null {
    return this.querySelector<HTMLIFrameElement>(selector)?.contentWindow ?? null;
  }

  #receive({ data, origin, source }: MessageEvent<PreviewReport>): void {
    if (origin !== location.origin) return;
    const width = previewWidths.find((each) => source === this.#frame(`iframe[width="${each}"]`));
    if (width === undefined) return;
    if (data.type === 'height') {
      const height = Math.min(Math.max(data.pixels, previewHeight.min), previewHeight.max);
      this.heights = { ...this.heights, [width]: height };
    } else if (data.type === 'ready') {
      this.#ready.add(width);
      this.#send(width);
      // Of several visible previews, one reports the events.
    } else if (data.type === 'event' && width === (this.setup.width === 'all' ? '480' : this.setup.width)) {
      const { name, carries } = data;
      this.events = [{ id: this.#eventCount++, at: new Date(), name, carries }, ...this.events].slice(0, eventLimit);
    }
  }

  #shown(): Omit<Show, 'type' | 'turn'> {
    const { language, theme, direction, scheme, state } = this.setup;
    const { endpoint, options } = this;
    return {
      tag: tagWithForm(this.setup, options),
      language,
      theme,
      direction,
      scheme,
      state,
      endpoint,
      events: options.events,
    };
  }

  #send(width: Width): void {
    if (!this.#ready.has(width) || !this.#isVisible(width)) return;
    const message: Show = { type: 'show', turn: this.#turn, ...this.#shown() };
    this.#frame(`iframe[width="${width}"]`)?.postMessage(message, location.origin);
  }

  protected override willUpdate(): void {
    for (const width of previewWidths) if (this.#isVisible(width)) this.#loaded.add(width);
  }

  protected override firstUpdated(): void {
    const frames = this.querySelector('.frames');
    if (frames) this.#resizes.observe(frames);
  }

  protected override updated(changed: PropertyValues<this>): void {
    this.#fitFrames();
    if (!changed.has('setup')) return;
    for (const width of previewWidths) this.#send(width);
  }

  /** Scales each preview down to the room it has, so that a narrow window shows all of it. */
  #fitFrames(): void {
    for (const { style, width, height, parentElement } of this.querySelectorAll('iframe')) {
      const scale = Math.min(1, (parentElement?.clientWidth || Infinity) / Number(width));
      style.transform = scale < 1 ? `scale(${scale})` : '';
      style.marginBlockEnd = `${(scale - 1) * Number(height)}px`;
    }
  }

  protected override render(): TemplateResult {
    const { setup, options } = this;
    return html`${this.#examples()}
      <main>
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
          ${optionPanel(options, setup, (next, typed) => this.#change(next, typed))}
        </section>
        <div class="work">
          <section id="preview" tabindex="-1" aria-labelledby="preview-title">
            <h2 id="preview-title">Preview</h2>
            ${this.#viewControls()}
            <div class="frames" tabindex="0" role="group" aria-label="Previews">${previewWidths.map((width) => this.#preview(width))}</div>
          </section>
          <section aria-labelledby="copy-title">
            <h2 id="copy-title">Copy</h2>
            <label class="segment-group"
              ><span>For</span>
              <select id="platform" @change=${({ currentTarget }: Event) => this.#choosePlatform(currentTarget as HTMLSelectElement)}>
                ${Object.entries(platforms).map(
                  ([name, title]) =>
                    html`<option value=${name} .selected=${live(name === setup.platform)}>${title}</option>`,
                )}
              </select></label
            >
            ${this.#snippets()}
          </section>
          <section aria-labelledby="events-title">${this.#eventLog()}</section>
        </div>
      </main>`;
  }

  /** Links, so that each example has an address to share. */
  #examples(): TemplateResult {
    const { platform } = this.setup;
    return html`<nav class="examples" aria-label="Examples">
      ${exampleSetups.map(
        ({ title, setup }) =>
          html`<a
            href="?${writeSetup(setup)}"
            @click=${(event: MouseEvent) => {
              if (event.ctrlKey || event.metaKey || event.shiftKey) return;
              event.preventDefault();
              void this.#change({ ...setup, platform });
            }}
            >${title}</a
          >`,
      )}
    </nav>`;
  }

  #viewControls(): TemplateResult {
    const { setup } = this;
    const change = (next: Partial<Setup>): unknown => this.#change({ ...setup, ...next });
    return html`<div class="bar">
        ${segments('Width', 'width', { 320: '320', 480: '480', 768: '768', all: 'All' }, setup, (width) => change({ width }))}
        ${segments('Colours', 'scheme', { light: 'Light', dark: 'Dark' }, setup, (scheme) => change({ scheme }))}
        ${segments('Direction', 'direction', { ltr: 'LTR', rtl: 'RTL' }, setup, (direction) => change({ direction }))}
        <label class="segment-group"
          ><span>Language</span>
          <select id="language" @change=${({ currentTarget }: Event) => this.#chooseLanguage(currentTarget as HTMLSelectElement)}>
            ${this.options.languages.map(
              (tag) =>
                html`<option value=${tag} .selected=${live(tag === setup.language)}>${languageNames.of(tag) ?? tag}</option>`,
            )}
          </select></label
        >
      </div>
      ${segments('State', 'state', stateTitles, setup, (state) => {
        // The same state again runs it again.
        this.#turn += 1;
        return change({ state });
      })}`;
  }

  #chooseLanguage({ value: language }: HTMLSelectElement): void {
    void this.#change({ ...this.setup, language, direction: rightToLeft.has(language) ? 'rtl' : 'ltr' });
  }

  #choosePlatform({ value }: HTMLSelectElement): void {
    if (isPlatform(value)) void this.#change({ ...this.setup, platform: value });
  }

  /** A frame, so that its width is the viewport of the form. */
  #preview(width: Width): TemplateResult {
    return html`<figure class="frame" data-scheme=${this.setup.scheme} ?hidden=${!this.#isVisible(width)}>
      <figcaption><bdi>${width} px</bdi></figcaption>
      <iframe
        title="Preview, ${width} pixels wide"
        width=${width}
        height=${this.heights[width] ?? previewHeight.min}
        src=${this.#loaded.has(width) ? this.preview : nothing}
      ></iframe>
    </figure>`;
  }

  #snippets(): TemplateResult {
    const snippets = snippetsFor(this.setup, this.options);
    return html`<div id="snippets">
      ${snippets.map(
        (snippet) =>
          html`<div class="snippet">
            <div class="heading">
              <h3><bdi>${snippet.place}</bdi></h3>
              ${button({
                label: this.copied?.place === snippet.place ? this.copied.label : 'Copy',
                name: `Copy: ${snippet.place}`,
                onClick: (event) => this.#copy(snippet, event),
              })}
            </div>
            <pre tabindex="0" role="region" aria-label=${snippet.place}><code>${snippet.code}</code></pre>
          </div>`,
      )}
    </div>`;
  }

  async #copy({ place, code }: Snippet, { currentTarget }: MouseEvent): Promise<void> {
    const snippet = currentTarget instanceof Element ? currentTarget.closest('.snippet') : null;
    try {
      await navigator.clipboard.writeText(code);
      this.copied = { place, label: 'Copied' };
      toast('Copied to the clipboard.');
    } catch {
      const text = snippet?.querySelector('code');
      if (text) getSelection()?.selectAllChildren(text);
      this.copied = { place, label: 'Selected' };
      toast('The browser does not let the page copy. The snippet is selected: press Ctrl+C.');
    }
    setTimeout(() => (this.copied = undefined), copiedMs);
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
          ({ at, name, carries }) =>
            html`<li>
              ${dateTime(at, { short: true })} <strong>${name}</strong> <code>${JSON.stringify(carries)}</code>
            </li>`,
        )}
      </ol>`;
  }
}

customElements.define('signup-playground', SignupPlayground);
