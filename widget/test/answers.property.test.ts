/** A value belongs to the name of its field, whatever changes in the fields while a visitor types. */
import { expect, fixture } from '@open-wc/testing';
import fc from 'fast-check';
import type { NewsletterSignup } from '../src/index.ts';
import { Form, Mailbox, mountAt } from './harness.ts';

const names = ['Company', 'First name', 'City', 'Team', 'Role'] as const;
type Name = (typeof names)[number];

/** The fields after a step, in this order. */
const orders = fc.uniqueArray(fc.constantFrom(...names), { maxLength: names.length });

interface Step {
  readonly order: readonly Name[];
  /** `moves`: the same elements in another order. `renames`: elements stay and get other names, as without keys. */
  readonly by: 'moves' | 'renames';
  readonly types: { readonly name: Name; readonly text: string } | null;
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    order: orders,
    by: fc.constantFrom('moves' as const, 'renames' as const),
    types: fc.option(fc.record({ name: fc.constantFrom(...names), text: fc.stringMatching(/^[a-z]{1,6}$/) })),
  }),
  { minLength: 1, maxLength: 6 },
);

/** Changes the order of the fields. */
function arrange(element: Element, { order, by }: Step, byName: Map<string, HTMLElement>): void {
  const list = (): HTMLElement[] => [...element.querySelectorAll('newsletter-field')];
  const make = (name: string): HTMLElement => Object.assign(document.createElement('newsletter-field'), { id: name });
  const present = list();
  if (by === 'renames') {
    for (const [index, wanted] of order.entries()) {
      const field = present[index] ?? element.appendChild(make(wanted));
      field.setAttribute('name', wanted);
    }
    for (const field of present.slice(order.length)) field.remove();
  } else {
    for (const wanted of order) {
      const field = byName.get(wanted) ?? make(wanted);
      field.setAttribute('name', wanted);
      element.append(field);
    }
    for (const [wanted, field] of byName) if (!order.some((each) => each === wanted)) field.remove();
  }
  byName.clear();
  for (const [index, field] of list().entries()) byName.set(order[index] ?? '', field);
}

function controlOf(form: Form, name: string): HTMLInputElement {
  return form.find<HTMLInputElement>(`input[name="custom_fields[${name}]"]`);
}

describe('values in fields', () => {
  it('keep their names in any order of adding, removing, renaming and moving fields', async function () {
    await fc.assert(
      fc.asyncProperty(steps, async (story) => {
        const mailbox = new Mailbox();
        const element = await fixture<NewsletterSignup>(
          `<newsletter-signup endpoint="${mailbox.endpoint}"></newsletter-signup>`,
        );
        const form = new Form(element);
        await form.settled();
        form.email.value = 'ada@example.com';
        const byName = new Map<string, HTMLElement>();
        const expected = new Map<string, string>();
        for (const step of story) {
          arrange(element, step, byName);
          await form.settled();
          for (const name of expected.keys()) if (!step.order.some((each) => each === name)) expected.delete(name);
          for (const name of step.order) expect(controlOf(form, name).value, name).to.equal(expected.get(name) ?? '');
          const { types } = step;
          if (!types || !step.order.includes(types.name)) continue;
          const control = controlOf(form, types.name);
          control.value = types.text;
          control.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
          expected.set(types.name, types.text);
        }
        element.submit();
        await form.reaches('success');
        const order = story.at(-1)?.order ?? [];
        const sent = order.flatMap((name) => (expected.has(name) ? [{ name, value: expected.get(name) }] : []));
        expect((await mailbox.body())['custom_fields'] ?? []).to.deep.equal(sent);
        element.remove();
      }),
      { numRuns: 30, endOnFailure: true, includeErrorInReport: true },
    );
  });
});

describe('a field', () => {
  const three = ['Company', 'First name', 'City'].map((name) => `<newsletter-field name="${name}"></newsletter-field>`);

  it('keeps focus, selection and problem when another is inserted before it, or moves', async () => {
    const form = await mountAt(new Mailbox(), three.join('').replace('name="City"', 'name="City" required'));
    await form.signUp('error');
    const city = form.labelled('City');
    expect(form.hasFocus(city)).to.equal(true);
    await form.type(form.labelled('First name'), 'Ada Lovelace');
    const name = form.labelled('First name');
    name.setSelectionRange(2, 5);
    form.element.insertAdjacentHTML('afterbegin', '<newsletter-field name="Team"></newsletter-field>');
    form.element.append(form.element.querySelector('[name="First name"]') ?? '');
    await form.settled();
    const after = form.labelled('First name');
    expect(after.value).to.equal('Ada Lovelace');
    expect(form.hasFocus(after)).to.equal(true);
    expect([after.selectionStart, after.selectionEnd]).to.deep.equal([2, 5]);
    expect(form.description(form.labelled('City'))).to.equal('City is needed.');
    expect(form.labelled('Team').value).to.equal('');
  });

  it('keeps a choice of any kind when another field is inserted before it', async () => {
    const countries = ['Austria', 'Brazil', 'Chad', 'Denmark', 'Ecuador', 'Fiji', 'Ghana', 'Haiti'].join(',');
    const form = await mountAt(
      new Mailbox(),
      `<newsletter-field name="Country" options="${countries}" value="Chad"></newsletter-field><newsletter-field name="Often" options="Daily,Weekly" value="Daily"></newsletter-field><newsletter-field name="Topics" kind="list" options="AI,Design" value="AI"></newsletter-field><newsletter-field name="Terms" kind="boolean"></newsletter-field>`,
    );
    form.find<HTMLSelectElement>('select').value = 'Fiji';
    for (const value of ['Weekly', 'AI', 'Design', 'true'])
      form.find<HTMLInputElement>(`input[value="${value}"]`).click();
    form.element.insertAdjacentHTML(
      'afterbegin',
      `<newsletter-field name="Origin" options="${countries}"></newsletter-field><newsletter-field name="Agreed" kind="boolean"></newsletter-field>`,
    );
    await form.settled();
    await form.signUp();
    expect((await form.mailbox.body())['custom_fields']).to.deep.equal([
      { name: 'Agreed', value: false },
      { name: 'Country', value: 'Fiji' },
      { name: 'Often', value: 'Weekly' },
      { name: 'Topics', value: ['Design'] },
      { name: 'Terms', value: true },
    ]);
  });

  it('without a name, or with the name of another field, is left out with a warning', async () => {
    const { warn } = console;
    const lines: unknown[] = [];
    console.warn = (line: unknown) => lines.push(line);
    const form = await mountAt(
      new Mailbox(),
      '<newsletter-field name="City" label="One"></newsletter-field><newsletter-field name="City" label="Two"></newsletter-field><newsletter-field label="Three"></newsletter-field>',
    );
    console.warn = warn;
    expect(
      Array.from(form.root.querySelectorAll('[part=label]'), ({ textContent }) => textContent.split(' ')[0]),
    ).to.deep.equal(['Email', 'One']);
    expect(lines).to.deep.equal([
      '<newsletter-signup> has two fields "City": the second is left out.',
      '<newsletter-signup> has a field without a name: it is left out.',
    ]);
  });

  it('keeps its text when its kind changes to another text field, and is reset when the control changes', async () => {
    const form = await mountAt(new Mailbox(), '<newsletter-field name="Age"></newsletter-field>');
    form.labelled('Age').value = '42';
    form.element.querySelector('newsletter-field')?.setAttribute('kind', 'integer');
    await form.settled();
    expect(form.labelled('Age').value).to.equal('42');
    form.element.querySelector('newsletter-field')?.setAttribute('kind', 'boolean');
    await form.settled();
    expect(form.labelled('Age').checked).to.equal(false);
    await form.signUp();
    expect((await form.mailbox.body())['custom_fields']).to.deep.equal([{ name: 'Age', value: false }]);
  });

  it('with 200 options is a select for one choice, and checkboxes for several', async () => {
    const options = Array.from({ length: 200 }, (_, index) => `Option ${index}`).join(',');
    const form = await mountAt(
      new Mailbox(),
      `<newsletter-field name="Country" options="${options}" required></newsletter-field><newsletter-field name="Topics" kind="list" options="${options}"></newsletter-field>`,
    );
    const select = form.find<HTMLSelectElement>('select');
    expect(select.labels[0]?.textContent.trim()).to.equal('Country');
    await form.signUp('error');
    expect(form.description(select)).to.equal('Country is needed.');
    select.value = 'Option 199';
    select.dispatchEvent(new Event('change', { bubbles: true }));
    await form.settled();
    expect(form.root.querySelectorAll('[part=problem]')).to.have.lengthOf(0);
    form.find<HTMLInputElement>('[value="Option 7"][type=checkbox]').click();
    await form.submit('success');
    expect((await form.mailbox.body())['custom_fields']).to.deep.equal([
      { name: 'Country', value: 'Option 199' },
      { name: 'Topics', value: ['Option 7'] },
    ]);
  });
});
