/**
 * Runs in a page: measures a form on somebody's site. Puppeteer sends the function as text, so it stands alone.
 */

/** The state of a form when it is measured. */
export type Moment = 'idle' | 'busy' | 'error' | 'success';

/**
 * The faults of the form in this tag of the page, in words; the text beside it is the page's own heading and paragraph.
 *
 * - Contrast of every text, slotted text and placeholders included: 4.5 : 1, or that of the page's own text
 * - Targets: 44 px; a button beside its field in one line with it
 * - A sign that the form is being sent
 * - Gaps between heading, sentence, form, proof and note, and between fields: 8 px
 * - Nothing wider than its container
 * - An error directly under its field
 */
export function faultsOf(position: number, moment: Moment): string[] {
  const faults: string[] = [];
  const host = document.querySelectorAll('newsletter-signup')[position];
  // Without the script, the tag is an unknown element around the page's own form.
  const shadow = host?.shadowRoot ?? host;
  if (!host || !shadow) return ['no form'];
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (!context) return ['no canvas'];

  const parentOf = (node: Node): Element | null =>
    (node instanceof Element || node instanceof Text ? node.assignedSlot : null) ??
    (node.parentNode instanceof ShadowRoot ? node.parentNode.host : node.parentElement);
  const childrenOf = (node: Node): readonly Node[] => {
    if (node instanceof HTMLSlotElement && node.assignedNodes().length > 0) return node.assignedNodes();
    return [...((node instanceof Element && node.shadowRoot) || node).childNodes];
  };
  const isShown = (element: Element): boolean => {
    if (element.localName === 'slot') return getComputedStyle(element).visibility === 'visible';
    return element.checkVisibility({ visibilityProperty: true }) && getComputedStyle(element).clipPath !== 'inset(50%)';
  };
  const shown = (node: Node): Element[] =>
    childrenOf(node).flatMap((child) => {
      // The trigger is a button of the page.
      if (!(child instanceof Element) || child.matches('style, option, svg, [slot=trigger]')) return [];
      // A hidden element can have visible content.
      if (getComputedStyle(child).display === 'none' || getComputedStyle(child).clipPath === 'inset(50%)') return [];
      return isShown(child) ? [child, ...shown(child)] : shown(child);
    });

  /** Red, green and blue of colours painted over each other, each with its opacity. */
  const paint = (colors: readonly (readonly [color: string, opacity: number])[]): readonly number[] => {
    context.globalAlpha = 1;
    context.fillStyle = '#fff';
    context.fillRect(0, 0, 1, 1);
    for (const [color, opacity] of colors) {
      context.globalAlpha = opacity;
      context.fillStyle = '#000';
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
    }
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (rgb: readonly number[]): number => {
    const [red = 0, green = 0, blue = 0] = rgb.map((value) =>
      value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  // The page's canvas, which forced colours change too.
  const probe = Object.assign(document.createElement('i'), { style: 'background: Canvas' });
  document.documentElement.append(probe);
  const canvas = getComputedStyle(probe).backgroundColor;
  probe.remove();
  /** The backgrounds behind an element, the lowest first. */
  const groundOf = (element: Element | null): [string, number][] => {
    if (!element) return [[canvas, 1]];
    const { backgroundColor, opacity } = getComputedStyle(element);
    const below: [string, number][] = element.matches(':modal')
      ? [...groundOf(document.body), ['#0008', 1]]
      : groundOf(parentOf(element));
    return [...below, [backgroundColor, Number(opacity)]];
  };
  const contrast = (color: string, element: Element): number => {
    const ground = groundOf(element);
    const [dark = 0, light = 0] = [luminance(paint(ground)), luminance(paint([...ground, [color, 1]]))].sort(
      (a, b) => a - b,
    );
    return (light + 0.05) / (dark + 0.05);
  };
  const nameOf = (element: Element): string =>
    element.getAttribute('part') ?? element.getAttribute('slot') ?? element.localName;

  const surface = shadow.querySelector('[part=surface]');
  const section = host.parentElement;
  const beside = [...(section?.querySelectorAll(':scope > :is(h2, p)') ?? [])];
  const pages = Math.min(...beside.map((element) => contrast(getComputedStyle(element).color, element)));
  const wanted = Math.min(4.5, pages) - 0.05;
  const elements = shown(shadow);
  const seen = new Set<string>();
  const expectContrast = (name: string, color: string, element: Element, least = wanted): void => {
    const found = contrast(color, element);
    if (found < least && !seen.has(name))
      faults.push(`${name}: contrast ${found.toFixed(1)}, page ${pages.toFixed(1)}`);
    seen.add(name);
  };
  for (const element of elements) {
    const style = getComputedStyle(element);
    // The colour of a link in the page's own content is the page's.
    const isPagesLink = element.matches('a') && element.getRootNode() === document;
    if (isPagesLink && section)
      expectContrast('link of the page', style.color, element, Math.min(wanted, 0.9 * contrast(style.color, section)));
    else if (childrenOf(element).some((node) => node instanceof Text && node.data.trim()))
      // The close button lies on the surface, beside which it stands in the tree.
      expectContrast(nameOf(element), style.color, element.matches('[part=close]') && surface ? surface : element);
    if (element instanceof HTMLInputElement && element.placeholder && !element.value)
      expectContrast('placeholder', getComputedStyle(element, '::placeholder').color, element);
    if (element.matches('[part=input], [part~=frame], [part=box]') && !element.matches('[part~=frame] input'))
      expectContrast(
        `line of ${nameOf(element)}`,
        style.borderBottomColor,
        parentOf(element) ?? element,
        Math.min(3, wanted),
      );
  }

  for (const element of elements) {
    if (!element.matches('button, select, [part=input], [part~=choice]')) continue;
    const { width, height, bottom, top } = element.getBoundingClientRect();
    if (width < 43.9 || height < 43.9)
      faults.push(`${nameOf(element)}: ${Math.round(width)} × ${Math.round(height)} px`);
    const field = element.matches('[part~=form] > button') && shadow.querySelector('[part~=form] input');
    const beside = field && field.getBoundingClientRect();
    if (beside && top < beside.bottom && Math.abs(bottom - beside.bottom) > 2)
      faults.push(`button: ${Math.round(bottom - beside.bottom)} px out of line`);
  }
  if (moment === 'busy') {
    const isDrawn = elements.some(
      (each) => each.matches('button') && getComputedStyle(each, '::after').content !== 'none',
    );
    if (!isDrawn && !shadow.querySelector('[part=notice]')?.checkVisibility()) faults.push('no sign of sending');
  }

  const bounds = (surface ?? host).getBoundingClientRect();
  for (const element of elements) {
    const { left, right } = element.getBoundingClientRect();
    if (element.localName !== 'slot' && (left < bounds.left - 1 || right > bounds.right + 1))
      faults.push(`${nameOf(element)}: ${Math.round(left)}–${Math.round(right)} px is outside of the form`);
  }
  if (bounds.right > innerWidth + 1) faults.push(`wider than the window: ${Math.round(bounds.right)} px`);

  const apart = (name: string, blocks: readonly Element[]): void => {
    const boxes = blocks
      .map((element) => ({ element, box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.height > 0)
      .toSorted((a, b) => a.box.top - b.box.top);
    for (const [index, { element, box }] of boxes.entries()) {
      const next = boxes[index + 1];
      if (!next || next.box.left >= box.right || next.box.right <= box.left) continue;
      const gap = next.box.top - box.bottom;
      // In one row the boxes overlap.
      if (gap < 7.9 && !(name === 'fields' && next.box.left >= box.right - 1))
        faults.push(`${nameOf(element)} – ${nameOf(next.element)}: gap ${Math.round(gap)} px`);
    }
  };
  const slotted = elements.filter((element) => element.parentElement === host);
  const form = elements.filter((element) => element.matches('[part~=form]'));
  apart('content', moment === 'success' ? slotted : [...slotted, ...form]);
  if (moment !== 'success')
    apart(
      'fields',
      elements.filter((element) => element.matches('[part=form] > :is([part=field], [part=button])')),
    );
  // A heading looks as one of its class on the page; where the page's text is below 16 px, it is enlarged with it.
  const sizeOf = (element: Element | undefined): number =>
    element ? parseFloat(getComputedStyle(element).fontSize) : 0;
  for (const title of slotted.filter(({ localName }) => localName === 'h2')) {
    const own = Object.assign(document.createElement('h2'), { className: title.className });
    section?.append(own);
    const size = sizeOf(own);
    own.remove();
    if (sizeOf(beside[1]) >= 16 && Math.abs(sizeOf(title) - size) > 1)
      faults.push(`heading: ${sizeOf(title)} px, page ${size} px`);
  }

  if (moment === 'error') {
    const problems = elements.filter((element) => element.matches('[part=problem]'));
    if (problems.length === 0) faults.push('no error');
    for (const problem of problems) {
      const control = shadow.querySelector(`[aria-describedby~=${problem.id}]`);
      // Where it stands in the page's own form is the page's.
      if (!control) continue;
      const box = (control.closest('label, [part~=frame]') ?? control).getBoundingClientRect();
      const { top, left, right } = problem.getBoundingClientRect();
      const gap = top - box.bottom;
      if (control.localName !== 'fieldset' && (gap < 0 || gap > 12)) faults.push(`error: ${Math.round(gap)} px below`);
      if (left > box.right || right < box.left) faults.push('error: beside its field');
    }
  }
  return faults;
}
