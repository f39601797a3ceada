/**
 * Google Tag Manager with a container of two GA4 tags: a page view, and the event of the documentation's table. It
 * reads the messages that were pushed before it came, and replaces `push` for the later ones. Commands of `gtag` start
 * no tag.
 */
(() => {
  const { origin } = new URL(document.currentScript.src);
  const collect = (name) =>
    navigator.sendBeacon(
      `${origin}/g/collect?${new URLSearchParams({ v: '2', tid: 'G-1', en: name, dl: location.href, dr: document.referrer, dt: document.title })}`,
    );
  const read = ({ event }) => {
    if (event === 'gtm.js') collect('page_view');
    if (event === 'newsletter_signup') collect('newsletter_signup');
  };
  const { dataLayer } = window;
  const past = [...dataLayer];
  dataLayer.push = (...messages) => {
    Array.prototype.push.apply(dataLayer, messages);
    messages.forEach(read);
    return dataLayer.length;
  };
  past.forEach(read);
})();
