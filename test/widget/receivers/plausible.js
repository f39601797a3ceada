/**
 * Plausible's script: works off `plausible.q`, and takes the place of the function. It counts the page view, and forms
 * of the document with the option `formSubmissions`. The real one leaves out 127.0.0.1 and browsers of tests.
 */
(() => {
  const { origin } = new URL(document.currentScript.src);
  const { q = [], o = {} } = window.plausible;
  const track = (name, { props } = {}) =>
    void fetch(`${origin}/api/event`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain' },
      keepalive: true,
      body: JSON.stringify({ n: name, u: location.href, d: location.hostname, r: document.referrer || null, p: props }),
    });
  window.plausible = track;
  track('pageview');
  for (const call of q) track(...call);
  if (o.formSubmissions) document.addEventListener('submit', () => track('Form: Submission'), true);
})();
