/** One subscriber in full, in a drawer. */
import { ask } from './control.js';
import { fill, find, h } from './dom.js';
import { moment, number, secondsToDate, statusTag, words } from './format.js';
import { complain, copyButton, facts } from './pieces.js';

const attribution = {
  utm_source: 'Source',
  utm_medium: 'Medium',
  utm_campaign: 'Campaign',
  utm_term: 'Term',
  utm_content: 'Content',
  utm_channel: 'Channel',
  referring_site: 'Referring site',
};

/** @param {string} id */
export async function showSubscriber(id) {
  const { data } = await ask(`/subscriptions/${encodeURIComponent(id)}`);
  const drawer = find('subscriber', HTMLDialogElement);
  fill(drawer, ...content(data, () => drawer.close()));
  if (!drawer.open) drawer.showModal();
  drawer.scrollTop = 0;
}

/** A click beside the drawer closes it. */
find('subscriber', HTMLDialogElement).addEventListener('click', (event) => {
  const drawer = event.currentTarget;
  if (!(drawer instanceof HTMLDialogElement) || event.target !== drawer) return;
  const { left, right } = drawer.getBoundingClientRect();
  if (event.clientX < left || event.clientX > right) drawer.close();
});

/**
 * @param {any} data
 * @param {() => void} close
 */
function content(data, close) {
  const open = (/** @type {{ id: string, email: string }} */ other) =>
    h(
      'button',
      { type: 'button', class: 'link', on: { click: () => void showSubscriber(other.id).catch(complain) } },
      other.email,
    );
  return [
    h(
      'div',
      { class: 'head' },
      h('h2', { id: 'subscriber-title' }, data.email),
      h('button', { type: 'button', on: { click: close } }, 'Close'),
    ),
    facts([
      ['Status', statusTag(data.status)],
      ['Since', moment(secondsToDate(data.created))],
      ['Id', h('span', { class: 'copyable' }, h('code', {}, data.id), copyButton(data.id, 'id'))],
      ['Publication', data.publication_name],
      ['Tier', [data.subscription_tier, ...data.subscription_premium_tier_names].join(' · ')],
      ['Newsletter lists', lines(data.newsletter_list_ids)],
      ['Tags', words(data.tags)],
      ['Payments customer', data.payments_customer_id],
    ]),
    part(
      'Custom fields',
      data.custom_fields.length > 0 &&
        facts(data.custom_fields.map((/** @type {any} */ { name, value }) => [name, words(value)])),
    ),
    part('Came from', facts(Object.entries(attribution).map(([name, title]) => [title, data[name]]))),
    part(
      'Statistics',
      facts([
        ['E-mails received', number(data.stats.emails_received)],
        ['Opened', `${data.stats.open_rate} %`],
        ['Clicked', `${data.stats.click_through_rate} %`],
      ]),
    ),
    part('Journeys', data.journeys.length > 0 && h('ul', {}, ...data.journeys.map(journey))),
    part(
      'Referrals',
      facts([
        [
          'Referral code',
          data.referral_code &&
            h(
              'span',
              { class: 'copyable' },
              h('code', {}, data.referral_code),
              copyButton(data.referral_code, 'referral code'),
            ),
        ],
        ['Referred by', data.referred_by && open(data.referred_by)],
        [
          'Referred',
          data.referrals.length > 0 &&
            h(
              'ul',
              {},
              ...data.referrals.map((/** @type {any} */ other) =>
                h('li', {}, open(other), ' ', statusTag(other.status)),
              ),
            ),
        ],
      ]),
    ),
  ];
}

/** @param {any} journey */
function journey({ automation_name, status, created, completed }) {
  return h(
    'li',
    {},
    statusTag(status),
    ' ',
    automation_name,
    h(
      'small',
      {},
      ' since ',
      moment(secondsToDate(created)),
      completed !== null && ' until ',
      completed !== null && moment(secondsToDate(completed)),
    ),
  );
}

/**
 * @param {string} title
 * @param {import('./dom.js').Child} body
 */
function part(title, body) {
  return body && h('section', {}, h('h3', {}, title), body);
}

/** @param {readonly string[]} texts */
function lines(texts) {
  return texts.length > 0 && h('ul', {}, ...texts.map((text) => h('li', {}, h('code', {}, text))));
}
