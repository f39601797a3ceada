// @ts-check
/** The live view: shows each subscription the moment the sandbox stores it, and how long it took to get there. */

/**
 * @typedef {{ name: string, kind: string, value: unknown }} CustomField
 * @typedef {{ email: string, status: string, created: number, custom_fields?: CustomField[], [field: string]: unknown
 *   }} Subscription
 */

/** What to call the attribution of a subscription, in the order it is shown. */
const attributionLabels = {
  utm_source: 'Source',
  utm_medium: 'Medium',
  utm_campaign: 'Campaign',
  utm_term: 'Term',
  utm_content: 'Content',
  referring_site: 'Referring site',
};

const connectionTexts = {
  connecting: 'Connecting to the sandbox …',
  open: 'Watching the sandbox',
  away: 'The sandbox does not answer; what you send is kept by the relay and delivered when it is back.',
};

/** Newest arrivals kept on the page. */
const shownLimit = 20;

/**
 * @template {Element} T
 * @param {ParentNode} parent
 * @param {string} selector
 * @param {new () => T} type
 * @returns {T}
 */
function find(parent, selector, type) {
  const element = parent.querySelector(selector);
  if (element instanceof type) return element;
  throw new Error(`The page has no ${selector}.`);
}

const connection = find(document, '#connection', HTMLElement);
const arrivals = find(document, '#arrivals', HTMLElement);
const nothingYet = find(document, '#nothing-yet', HTMLElement);
const template = find(document, '#arrival', HTMLTemplateElement);

/** When the visitor pressed the button, until the arrival is shown; in milliseconds of this page's clock. */
let pressed = 0;
document.addEventListener('newsletter-submit', () => {
  pressed = performance.now();
});

/** @param {keyof typeof connectionTexts} state */
function showConnection(state) {
  if (connection.dataset['state'] === state) return;
  connection.dataset['state'] = state;
  connection.textContent = connectionTexts[state];
}

/** @param {unknown} value */
function inWords(value) {
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value);
}

/**
 * @param {Subscription} subscription
 * @returns {[string, string][]}
 */
function factsOf(subscription) {
  const attribution = Object.entries(attributionLabels).map(([name, label]) => [label, subscription[name]]);
  const fields = (subscription.custom_fields ?? []).map(({ name, value }) => [name, value]);
  return [...attribution, ...fields]
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([label, value]) => [String(label), inWords(value)]);
}

/**
 * @param {Subscription} subscription
 * @param {string} change
 */
function showArrival(subscription, change) {
  // Only what is new can be this visitor's doing for certain: older subscriptions change at any time, when they are
  // validated.
  const took = pressed > 0 && change === 'created' ? Math.round(performance.now() - pressed) : undefined;
  if (took !== undefined) pressed = 0;
  const item = find(/** @type {DocumentFragment} */ (template.content.cloneNode(true)), '.arrival', HTMLElement);
  find(item, '.email', HTMLElement).textContent = subscription.email;
  find(item, '.status', HTMLElement).textContent = subscription.status;
  find(item, '.took', HTMLElement).textContent =
    `${change === 'created' ? 'New' : 'Known already, updated'}, ${new Date().toLocaleTimeString()}` +
    (took === undefined ? '' : ` – stored ${took} ms after the button was pressed`);
  if (took !== undefined) item.dataset['took'] = String(took);
  item.dataset['email'] = subscription.email;
  const facts = find(item, '.facts', HTMLElement);
  for (const [label, value] of factsOf(subscription)) {
    const term = document.createElement('dt');
    term.textContent = label;
    const definition = document.createElement('dd');
    definition.textContent = value;
    facts.append(term, definition);
  }
  nothingYet.hidden = true;
  // The same subscription again, for example once it is validated, takes the place of what stood there.
  const before = [...arrivals.children].find(
    (child) => child instanceof HTMLElement && child.dataset['email'] === subscription.email,
  );
  if (before instanceof HTMLElement && change === 'updated') {
    const tookBefore = find(before, '.took', HTMLElement);
    find(item, '.took', HTMLElement).textContent = tookBefore.textContent;
    if (before.dataset['took']) item.dataset['took'] = before.dataset['took'];
    before.replaceWith(item);
  } else {
    before?.remove();
    arrivals.prepend(item);
  }
  while (arrivals.children.length > shownLimit) arrivals.lastElementChild?.remove();
}

function watchSandbox() {
  const events = new EventSource('/events');
  events.addEventListener('connected', () => showConnection('open'));
  events.addEventListener('away', () => showConnection('away'));
  events.addEventListener('error', () => {
    if (connection.dataset['state'] === 'open') showConnection('connecting');
    // A demo site that answered with an error has ended the connection for good; ask again as if the page were new.
    if (events.readyState === EventSource.CLOSED) setTimeout(watchSandbox, 1000);
  });
  events.addEventListener('reset', () => {
    arrivals.replaceChildren();
    nothingYet.hidden = false;
  });
  events.addEventListener('subscription', (event) => {
    const { change, subscription } = /** @type {{ change: string, subscription: Subscription }} */ (
      JSON.parse(String(event.data))
    );
    showArrival(subscription, change);
  });
}

/** Marks the door the visitor came through, and says what will be sent along. */
function showDoors() {
  const long = find(document, '#long-door', HTMLAnchorElement);
  const campaign = 'From the harbour wall to the outer mole – '.repeat(8).slice(0, 299) + '🌊';
  long.href = `/?${new URLSearchParams({ utm_source: 'long names', utm_medium: 'test', utm_campaign: campaign }).toString()}`;
  for (const door of document.querySelectorAll('#doors a')) {
    if (door instanceof HTMLAnchorElement && new URL(door.href).search === location.search)
      door.setAttribute('aria-current', 'page');
  }
  const sent = [...new URLSearchParams(location.search)].map(([name, value]) => `${name} = ${value}`);
  find(document, '#attribution', HTMLElement).textContent =
    sent.length > 0 ? `This visit: ${sent.join(' · ')}` : 'This visit has no campaign in its address.';
}

showDoors();
watchSandbox();
