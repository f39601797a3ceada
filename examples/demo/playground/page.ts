/** The playground: controls, previews and snippets are three views of one setup, which stands in the address. */
import { showControls } from './controls.ts';
import { element, find } from './dom.ts';
import { showEvents } from './event-log.ts';
import type { Measure, Report, Show } from './messages.ts';
import { segments } from './segments.ts';
import type { Options } from './options.ts';
import { platforms } from './platforms.ts';
import { initialSetup, readSetup, widths, writeSetup, type Setup } from './setup.ts';
import { snippetsFor } from './snippets.ts';
import type { Sample } from './space.ts';
import { stateTitles } from './states.ts';
import { tagOf } from './tag.ts';

const options = (await fetch('/playground/options.json').then((response) => response.json())) as Options;
const endpoint = document.querySelector('meta[name=signup-endpoint]')?.getAttribute('content') ?? '';

let setup = readSetup(location.search, options);
let turn = 0;
/** What was typed in one go is one step of the Back button. */
let lastTyped = '';

const event = showEvents();
const controls = showControls(options, (next, typed = '') => change(next, typed));
const languageNames = new Intl.DisplayNames('en', { type: 'language' });
const rightToLeft = new Set(['ar', 'he']);

const view = find('#view', HTMLElement);
const bars = [
  segments(view, 'Width', 'width', { 320: '320', 480: '480', 768: '768', all: 'All' }, (width) =>
    change({ ...setup, width }),
  ),
  segments(view, 'Colours', 'scheme', { light: 'Light', dark: 'Dark' }, (scheme) => change({ ...setup, scheme })),
  segments(view, 'Direction', 'direction', { ltr: 'LTR', rtl: 'RTL' }, (direction) => change({ ...setup, direction })),
  segments(find('#states', HTMLElement), 'State', 'state', stateTitles, (state) => {
    turn += 1;
    change({ ...setup, state });
  }),
  segments(find('#platforms', HTMLElement), 'For', 'platform', platforms, (platform) => change({ ...setup, platform })),
];

const language = element(
  'select',
  { id: 'language' },
  ...options.languages.map((tag) => element('option', { value: tag }, languageNames.of(tag) ?? tag)),
);
view.append(element('label', { class: 'segment-group' }, element('span', { class: 'legend' }, 'Language'), language));
language.addEventListener('change', () => {
  change({ ...setup, language: language.value, direction: rightToLeft.has(language.value) ? 'rtl' : 'ltr' });
});

/** Not seen: measures the form, for the space that the snippet reserves. */
const measurer = element('iframe', { title: 'Measuring', class: 'measurer', 'aria-hidden': 'true', tabindex: '-1' });
let canMeasure = false;
/** What was measured last, or is being measured. */
let measuredSetup = '';
let samples: readonly Sample[] | undefined;
let measuring = 0;

const snippetViews: SnippetView[] = [];
const frames = widths.flatMap((width) => (width === 'all' ? [] : [frame(width)]));
find('#frames', HTMLElement).append(...frames.map(({ figure }) => figure));
measurer.src = '/playground/preview';
document.body.append(measurer);

find('#start-over', HTMLButtonElement).addEventListener('click', () =>
  change({ ...initialSetup, platform: setup.platform }),
);
addEventListener('popstate', () => {
  setup = readSetup(location.search, options);
  lastTyped = '';
  show();
});
addEventListener('message', ({ data, origin, source }: MessageEvent<Report>) => {
  if (origin === location.origin && source === measurer.contentWindow) {
    if (data.type === 'ready') canMeasure = true;
    if (data.type === 'ready') measure();
    if (data.type === 'space' && data.turn === measuring) {
      ({ samples } = data);
      showSnippets();
    }
    return;
  }
  const from = frames.find(({ iframe }) => iframe.contentWindow === source);
  if (origin !== location.origin || !from) return;
  if (data.type === 'height') from.iframe.style.height = `${Math.min(Math.max(data.pixels, 180), 900)}px`;
  else if (data.type === 'ready') from.ready();
  // Where several widths are shown, one of them speaks for all.
  else if (data.type === 'event' && from.width === (setup.width === 'all' ? '480' : setup.width))
    event(data.name, data.carries);
});
show();

function change(next: Setup, typed = ''): void {
  setup = next;
  const query = writeSetup(setup);
  const address = query ? `?${query}` : location.pathname;
  if (typed !== '' && typed === lastTyped) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  lastTyped = typed;
  show();
}

function show(): void {
  controls.show(setup);
  for (const bar of bars) bar(setup);
  language.value = setup.language;
  for (const each of frames) each.show();
  measure();
  showSnippets();
}

/** Everything about a setup that a preview shows. */
function shown(): Omit<Show, 'type' | 'turn'> {
  const { language, theme, direction, scheme, state } = setup;
  return { tag: tagOf(setup, options), language, theme, direction, scheme, state, endpoint, events: options.events };
}

/** Measures the form again where the choice is another one. */
function measure(): void {
  const wanted = { ...shown(), state: 'idle', scheme: 'light', events: [] } as const;
  if (!canMeasure || JSON.stringify(wanted) === measuredSetup) return;
  measuredSetup = JSON.stringify(wanted);
  measuring += 1;
  samples = undefined;
  const message: Measure = { type: 'measure', turn: measuring, ...wanted };
  measurer.contentWindow?.postMessage(message, location.origin);
}

/** A preview of one width: a frame, so that the width is real to the tag. */
function frame(width: '320' | '480' | '768'): {
  width: string;
  figure: HTMLElement;
  iframe: HTMLIFrameElement;
  ready: () => void;
  show: () => void;
} {
  const iframe = element('iframe', { title: `Preview, ${width} pixels wide`, width, height: '180' });
  const figure = element('figure', { class: 'frame' }, element('figcaption', {}, `${width} px`), iframe);
  let isReady = false;
  const send = (): void => {
    figure.hidden = setup.width !== 'all' && setup.width !== width;
    if (figure.hidden) return;
    // Loaded when it is first looked at.
    if (!iframe.hasAttribute('src')) iframe.src = '/playground/preview';
    if (!isReady) return;
    const message: Show = { type: 'show', turn, ...shown() };
    iframe.contentWindow?.postMessage(message, location.origin);
    figure.dataset['scheme'] = setup.scheme;
  };
  return {
    width,
    figure,
    iframe,
    ready: () => {
      isReady = true;
      send();
    },
    show: send,
  };
}

/** A snippet on the page. It is updated in place: a press on its button while it changes is not lost. */
interface SnippetView {
  readonly row: HTMLElement;
  readonly title: HTMLElement;
  readonly region: HTMLElement;
  readonly code: HTMLElement;
}

function snippetView(): SnippetView {
  const button = element('button', { type: 'button' }, 'Copy');
  const title = element('h3', {});
  const code = element('code', {});
  const region = element('pre', { tabindex: '0', role: 'region' }, code);
  const row = element('div', { class: 'snippet' }, element('div', { class: 'snippet-head' }, title, button), region);
  button.addEventListener('click', () => void copy(button, code.textContent));
  return { row, title, region, code };
}

function showSnippets(): void {
  const tag = tagOf(setup, options);
  const { language, theme } = setup;
  const snippets = snippetsFor(setup.platform, { tag, language, theme, samples });
  while (snippetViews.length < snippets.length) {
    const view = snippetView();
    snippetViews.push(view);
    find('#snippets', HTMLElement).append(view.row);
  }
  for (const { row } of snippetViews.splice(snippets.length)) row.remove();
  for (const [index, { place, code }] of snippets.entries()) {
    const view = snippetViews[index];
    if (!view) continue;
    view.title.textContent = place;
    view.region.setAttribute('aria-label', place);
    // The text of a region that did not change keeps its selection.
    if (view.code.textContent !== code) view.code.textContent = code;
  }
}

async function copy(button: HTMLButtonElement, code: string): Promise<void> {
  const status = find('#copied', HTMLElement);
  try {
    await navigator.clipboard.writeText(code);
    button.textContent = 'Copied';
    status.textContent = 'Copied to the clipboard.';
  } catch {
    // Not allowed here: the text is selected, and the keyboard copies it.
    const text = button.closest('.snippet')?.querySelector('code');
    if (text) getSelection()?.selectAllChildren(text);
    button.textContent = 'Selected';
    status.textContent = 'The browser does not let the page copy. The snippet is selected: press Ctrl+C.';
  }
  setTimeout(() => {
    button.textContent = 'Copy';
    status.textContent = '';
  }, 2500);
}
