/** `<try-operation>`: a form that sends an operation to the sandbox and shows the answer. */
import { copyButton, field, PageElement, toastError } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import { curlOf, keyVariable, type CurlRequest } from './curl.ts';
import type { MediaType, Operation, Parameter } from './description.ts';
import { codeBadge } from './format.ts';

/** The key that was typed last; not stored beyond the page. */
let bearer = 'sandbox-key';

/** What came back, or `sending` or `broken`. */
type Answer =
  | 'sending'
  | 'broken'
  | { readonly status: number; readonly milliseconds: number; readonly text: string; readonly headers: string };

class TryOperation extends PageElement {
  static override properties = { operation: { attribute: false }, answer: { state: true }, curl: { state: true } };
  declare operation: Operation;
  declare answer: Answer | undefined;
  declare curl: string;

  constructor() {
    super();
    this.curl = '';
  }

  protected override firstUpdated(): void {
    this.curl = curlOf(this.#compose());
  }

  get #media(): readonly [type: string, content: MediaType] | undefined {
    return Object.entries(this.operation.object.requestBody?.content ?? {})[0];
  }

  protected override render(): TemplateResult {
    const { parameters, security, responses } = this.operation.object;
    const redirects = '302' in responses;
    return html`<section class="try" id="try" aria-labelledby="try-title">
      <h3 id="try-title">Try it</h3>
      <form
        @submit=${(event: SubmitEvent) => {
          event.preventDefault();
          if (redirects) window.open(this.#compose().url, '_blank', 'noopener');
          else this.#send().catch(toastError);
        }}
        @input=${() => this.#changed()}
      >
        <div class="grid">
          ${
            security.length > 0
              ? field(
                  'try-key',
                  'Bearer token',
                  html`<input id="try-key" value=${bearer} autocomplete="off" spellcheck="false" />`,
                )
              : nothing
          }
          ${parameters.filter((one) => !isRepeated(one)).map(parameterField)}
        </div>
        ${parameters.filter(isRepeated).map(checkboxes)}
        ${this.#media ? bodyField(...this.#media, () => this.#changed()) : nothing}
        <div class="row">
          <button class="primary">${redirects ? 'Open in a new tab' : 'Send'}</button>
          <small
            >${
              redirects
                ? 'The page asks you to sign in and consent.'
                : 'This changes the sandbox as any other request does.'
            }</small
          >
        </div>
        <details>
          <summary>As curl</summary>
          <small>The command reads the key from ${keyVariable}.</small>
          <pre tabindex="0"><code>${this.curl}</code></pre>
        </details>
      </form>
      <div class="answer" role="status" aria-live="polite">${this.answer ? answerView(this.answer) : nothing}</div>
    </section>`;
  }

  #changed(): void {
    bearer = this.#value('try-key') ?? bearer;
    this.curl = curlOf(this.#compose());
  }

  #value(id: string): string | undefined {
    return this.querySelector<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>(`#${id}`)?.value;
  }

  async #send(): Promise<void> {
    const { url, method, headers, body } = this.#compose();
    const started = performance.now();
    this.answer = 'sending';
    try {
      const response = await fetch(url, { method, headers, ...(body !== null && { body }) });
      const text = await response.text();
      this.answer = {
        status: response.status,
        milliseconds: Math.round(performance.now() - started),
        text: indented(text),
        headers: [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n'),
      };
    } catch {
      this.answer = 'broken';
    }
  }

  /** The request as the form says. */
  #compose(): CurlRequest {
    const { method, path, server, object } = this.operation;
    let filled = path;
    const query = new URLSearchParams();
    for (const parameter of object.parameters) {
      const values = this.#valuesOf(parameter);
      if (parameter.in === 'path') filled = filled.replace(`{${parameter.name}}`, encodeURIComponent(values[0] ?? ''));
      else for (const value of values) query.append(parameter.name, value);
    }
    const token = (this.#value('try-key') ?? '').trim();
    const [type = ''] = this.#media ?? [];
    const text = this.#value('try-body');
    const body = text === undefined ? null : isForm(type) ? formBody(text) : text;
    return {
      url: server + filled + (query.size > 0 ? `?${query.toString()}` : ''),
      method: method.toUpperCase(),
      headers: { ...(token && { Authorization: `Bearer ${token}` }), ...(body !== null && { 'Content-Type': type }) },
      body,
    };
  }

  #valuesOf(parameter: Parameter): readonly string[] {
    if (isRepeated(parameter)) {
      const boxes = this.querySelectorAll<HTMLInputElement>(`fieldset[name="${parameter.name}"] input:checked`);
      return [...boxes].map(({ value }) => value);
    }
    const value = this.#value(controlId(parameter)) ?? '';
    const values = parameter.schema.type === 'array' ? value.split(',').map((part) => part.trim()) : [value];
    return values.filter(Boolean);
  }
}

/** Whether a parameter is a list of known words: one checkbox each. */
function isRepeated({ schema }: Parameter): boolean {
  return schema.type === 'array' && (schema.enum ?? schema.items?.enum) !== undefined;
}

function controlId({ name }: Parameter): string {
  return `try-${name.replace(/\W/g, '')}`;
}

function parameterField(parameter: Parameter): TemplateResult {
  const { name, required = false, schema, example = '' } = parameter;
  const id = controlId(parameter);
  if (schema.enum)
    return field(
      id,
      name,
      html`<select id=${id}>
        <option value="">–</option>
        ${schema.enum.map((word) => html`<option value=${word}>${word}</option>`)}
      </select>`,
    );
  const isNumber = schema.type === 'integer';
  return field(
    id,
    name,
    html`<input
      id=${id}
      type=${isNumber ? 'number' : 'text'}
      min=${(isNumber ? schema.minimum : undefined) ?? nothing}
      max=${(isNumber ? schema.maximum : undefined) ?? nothing}
      placeholder=${schema.type === 'array' ? 'several: separated by commas' : nothing}
      value=${example || (schema.const ?? '')}
      ?required=${required}
      spellcheck="false"
      autocomplete="off"
    />`,
  );
}

function checkboxes({ name, schema }: Parameter): TemplateResult {
  const words = schema.enum ?? schema.items?.enum ?? [];
  return html`<fieldset name=${name}>
    <legend>${name}</legend>
    <div class="checks">
      ${words.map((word) => html`<label class="check"><input type="checkbox" value=${word} />${word}</label>`)}
    </div>
  </fieldset>`;
}

function isForm(type: string): boolean {
  return type.includes('form');
}

/** The body as text to edit: JSON, or one `name=value` a line for forms. */
function bodyField(type: string, { examples = {} }: MediaType, changed: () => void): TemplateResult {
  const all = Object.entries(examples);
  const text = bodyText(type, all[0]?.[1].value);
  const choose = ({ currentTarget }: Event): void => {
    if (!(currentTarget instanceof HTMLSelectElement)) return;
    const area = currentTarget.parentElement?.querySelector('textarea');
    if (area) area.value = bodyText(type, examples[currentTarget.value]?.value);
    changed();
  };
  return field(
    'try-body',
    isForm(type) ? 'Body, one name=value a line' : 'Body',
    html`${
      all.length > 1
        ? html`<select aria-label="Example" @change=${choose}>
            ${all.map(([name, { summary }]) => html`<option value=${name}>${summary}</option>`)}
          </select>`
        : nothing
    }<textarea
        id="try-body"
        spellcheck="false"
        rows=${Math.min(24, text.split('\n').length + 1)}
        .defaultValue=${text}
      ></textarea>`,
  );
}

function bodyText(type: string, value: unknown): string {
  if (!isForm(type)) return JSON.stringify(value ?? {}, null, 2);
  return Object.entries(value ?? {})
    .map(([name, text]) => `${name}=${String(text)}`)
    .join('\n');
}

function formBody(text: string): string {
  const lines = text.split('\n').filter(Boolean);
  return new URLSearchParams(
    lines.map((line) => {
      const [name = '', ...value] = line.split('=');
      return [name, value.join('=')];
    }),
  ).toString();
}

function answerView(answer: Answer): TemplateResult {
  if (answer === 'sending') return html`<p class="soft">Sending …</p>`;
  if (answer === 'broken')
    return html`<p>The connection broke before the answer was complete. A fault that is set can be the cause.</p>`;
  const { status, milliseconds, text, headers } = answer;
  return html`<div class="row">
      ${codeBadge(status)} <small>${milliseconds} ms</small> ${text === '' ? nothing : copyButton(text, 'answer')}
    </div>
    <pre tabindex="0" role="group" aria-label="Answer">${text === '' ? '(no body)' : text}</pre>
    <details>
      <summary>Headers</summary>
      <pre tabindex="0">${headers}</pre>
    </details>`;
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

customElements.define('try-operation', TryOperation);
