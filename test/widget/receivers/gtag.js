/**
 * Google's tag: reads the commands in the data layer, which are `arguments` objects, before and after it came; other
 * messages are none. Events wait for `config`. Its enhanced measurement sends `form_submit` for forms of the document.
 */
(() => {
  const { origin, searchParams } = new URL(document.currentScript.src);
  const collect = (name, parameters = {}) =>
    navigator.sendBeacon(
      `${origin}/g/collect?${new URLSearchParams({ v: '2', tid: searchParams.get('id'), en: name, dl: location.href, dr: document.referrer, dt: document.title, ...parameters })}`,
    );
  let waiting = [];
  const read = (message) => {
    if (Object.prototype.toString.call(message) !== '[object Arguments]') return;
    const [command, name, parameters] = message;
    if (command === 'config') {
      collect('page_view');
      for (const event of waiting ?? []) collect(...event);
      waiting = undefined;
    } else if (command === 'event') {
      if (waiting) waiting.push([name, parameters]);
      else collect(name, parameters);
    }
  };
  const { dataLayer } = window;
  const past = [...dataLayer];
  dataLayer.push = (...messages) => {
    Array.prototype.push.apply(dataLayer, messages);
    messages.forEach(read);
    return dataLayer.length;
  };
  past.forEach(read);
  document.addEventListener(
    'submit',
    ({ target }) => collect('form_submit', { 'ep.form_id': target.id, 'ep.form_destination': target.action }),
    true,
  );
})();
