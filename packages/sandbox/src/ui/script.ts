/** The window's script, as the browser gets it: reads the state once, then follows the events. Everything is set as text, never as markup. */
export const source = `'use strict';
const $ = (id) => document.getElementById(id);
const rows = new Map();
const kept = 200;
let total = 0;
let lastRequest = 0;
// Events that come while the state is being read wait until it is there.
let waiting = null;

const element = (tag, text, className) => {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
};
const time = (date) => {
  const sameDay = date.toDateString() === new Date().toDateString();
  const made = element('time', sameDay ? date.toLocaleTimeString() : date.toLocaleDateString());
  made.dateTime = date.toISOString();
  made.title = date.toLocaleString();
  return made;
};
const source = (subscription) => ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content', 'referring_site']
  .map((name) => subscription[name]).filter(Boolean).join(' · ') || subscription.utm_channel;
const text = (value) => (Array.isArray(value) ? value.join(', ') : String(value));

function row(subscription, fresh) {
  const made = element('tr', undefined, fresh ? 'fresh' : '');
  const subscriber = element('td', undefined, 'subscriber');
  subscriber.append(element('b', subscription.email), element('small', source(subscription)));
  const status = element('td', undefined, 'status');
  status.append(element('span', subscription.status));
  status.dataset.status = subscription.status;
  const fields = element('td', undefined, 'fields');
  for (const { name, value } of subscription.custom_fields ?? []) {
    const field = element('span', text(value));
    field.prepend(element('i', name));
    fields.append(field, ' ');
  }
  const created = element('td', undefined, 'created');
  created.append(time(new Date(subscription.created * 1000)));
  made.append(subscriber, status, fields, created);
  return made;
}

function show(subscription, fresh) {
  const made = row(subscription, fresh);
  const before = rows.get(subscription.id);
  if (before) before.replaceWith(made);
  else $('subscriptions').prepend(made);
  rows.set(subscription.id, made);
  while ($('subscriptions').children.length > kept) $('subscriptions').lastChild.remove();
}

function log(request, fresh) {
  if (request.n <= lastRequest) return;
  lastRequest = request.n;
  const made = element('li', undefined, fresh ? 'fresh' : '');
  const query = Object.entries(request.query).map(([name, value]) => name + '=' + value).join('&');
  const path = element('span', ' ' + request.method + ' ' + request.path.replace(/pub_[0-9a-f-]+/, 'pub_…') + (query && '?' + query), 'path');
  made.append(time(new Date(request.time)), ' ', element('span', String(request.status), request.status < 400 ? 'code' : 'code refused'), path);
  if (request.reasons.length > 0) made.append(element('p', request.reasons.join(' '), 'reasons'));
  $('requests').prepend(made);
  while ($('requests').children.length > kept) $('requests').lastChild.remove();
}

function note() {
  $('total').textContent = total;
  $('no-subscriptions').hidden = total > 0;
  $('no-requests').hidden = $('requests').children.length > 0;
}

async function read() {
  waiting = [];
  const [subscriptions, requests] = await Promise.all(
    ['subscriptions', 'requests'].map((name) => fetch('/_sandbox/' + name).then((answer) => answer.json())));
  rows.clear();
  lastRequest = 0;
  $('subscriptions').replaceChildren();
  $('requests').replaceChildren();
  total = subscriptions.total;
  for (const subscription of subscriptions.data.toReversed()) show(subscription, false);
  for (const request of requests.data) log(request, false);
  note();
  const came = waiting;
  waiting = null;
  for (const event of came) take(event);
}

function take(event) {
  if (waiting) return void waiting.push(event);
  if (event.type === 'request') log(event.request, true);
  else {
    if (event.change === 'created' && !rows.has(event.subscription.id)) total += 1;
    show(event.subscription, true);
  }
  note();
}

function state(name, text) {
  $('state').dataset.state = name;
  $('state').textContent = text;
}

$('api').textContent = location.origin + '/v2';
const events = new EventSource('/_sandbox/events');
events.onopen = () => read().then(() => state('live', 'live'), () => state('waiting', 'not answering'));
events.onerror = () => state('waiting', 'not answering; trying again');
events.addEventListener('reset', () => void read());
for (const type of ['request', 'subscription']) events.addEventListener(type, (event) => take(JSON.parse(event.data)));
`;
