/** Matomo's script: applies the commands in `_paq`, and takes its place. Sends beacons, as Matomo does by default. */
(() => {
  let url = '';
  let site = '';
  const send = (parameters) =>
    navigator.sendBeacon(
      url,
      new URLSearchParams({ idsite: site, rec: '1', url: location.href, urlref: document.referrer, ...parameters }),
    );
  const commands = {
    setTrackerUrl: (value) => (url = value),
    setSiteId: (value) => (site = value),
    enableLinkTracking: () => {},
    trackPageView: () => send({ action_name: document.title }),
    trackEvent: (category, action, name = '', value = '') =>
      send({ e_c: category, e_a: action, e_n: name, e_v: value }),
  };
  const push = (...calls) => calls.forEach(([name, ...values]) => commands[name](...values));
  const past = window._paq;
  window._paq = { push };
  push(...past);
})();
