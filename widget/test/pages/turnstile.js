/** Plays the documented part of Cloudflare Turnstile's client API: a button stands for the visitor who passes. */
{
  const fails = document.currentScript.src.endsWith('?fails');
  const widgets = new Map();
  globalThis.turnstile = {
    render(container, { sitekey, callback, 'error-callback': onError }) {
      if (!(container instanceof HTMLElement) || container.getRootNode() !== document)
        throw new Error('Turnstile renders into the document.');
      const id = `widget-${widgets.size}`;
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = 'I am human';
      // As high as the real one.
      button.style.blockSize = '65px';
      button.addEventListener('click', () => callback(`token of ${sitekey}`));
      container.append(button);
      widgets.set(id, button);
      if (fails) setTimeout(() => onError('300010'), 10);
      return id;
    },
    remove(id) {
      widgets.get(id)?.remove();
    },
  };
}
