/** The window's script, as the browser gets it: reads the state once, then follows the events. Everything is set as text, never as markup. */
export const source = `'use strict';
const $ = (id) => document.getElementById(id);
const rows = new Map();
const kept = 200;
let total = 0;

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
const fields = (subscription) => (subscription.custom_fields ?? [])
  .map(({ name, value }) => name + ': ' + (Array.isArray(value) ? value.join(', ') : value)).join(' · ');

function row(subscription, fresh) {
  const made = element('tr', undefined, fresh ? 'fresh' : '');
  const created = element('td');
  created.append(time(new Date(subscription.created * 1000)));
  const status = element('span', subscription.status, 'status');
  status.dataset.status = subscription.status;
  const statusCell = element('td');
  statusCell.append(status);
  made.append(created, element('td', subscription.email), statusCell, element('td', source(subscription)), element('td', fields(subscription)));
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
  const [subscriptions, requests] = await Promise.all(
    ['subscriptions', 'requests'].map((name) => fetch('/_sandbox/' + name).then((answer) => answer.json())));
  rows.clear();
  $('subscriptions').replaceChildren();
  $('requests').replaceChildren();
  total = subscriptions.total;
  for (const subscription of subscriptions.data.toReversed()) show(subscription, false);
  for (const request of requests.data) log(request, false);
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
events.addEventListener('request', (event) => { log(JSON.parse(event.data).request, true); note(); });
events.addEventListener('subscription', (event) => {
  const { change, subscription } = JSON.parse(event.data);
  if (change === 'created') total += 1;
  show(subscription, true);
  note();
});
`;
