/** An app in Svelte 5. */
import { compilerOptions, linesOf, page, type App, type Mistake } from './app.ts';

const mistakes: readonly Mistake[] = [
  { code: '<newsletter-signup attribution="both"></newsletter-signup>', error: `Type '"both"' is not assignable` },
  {
    code: `<newsletter-signup messages={{ buton: 'Join' }}></newsletter-signup>`,
    error: `'buton' does not exist`,
  },
  {
    code: '<newsletter-signup text-button={7}></newsletter-signup>',
    error: `Type 'number' is not assignable to type 'string'`,
  },
  {
    code: '<newsletter-signup onnewsletter-submit={(event) => event.password}></newsletter-signup>',
    error: `'password' does not exist on type 'NewsletterSubmitEvent'`,
  },
  {
    code: '<newsletter-signup onnewsletter-success={(event) => event.password}></newsletter-signup>',
    error: `'password' does not exist on type 'NewsletterSuccessEvent'`,
  },
  {
    code: '<newsletter-signup onnewsletter-error={(event) => event.password}></newsletter-signup>',
    error: `'password' does not exist on type 'NewsletterErrorEvent'`,
  },
  {
    code: '<newsletter-signup onnewsletter-warning={(event) => event.password}></newsletter-signup>',
    error: `'password' does not exist on type 'NewsletterWarningEvent'`,
  },
  { code: '<newsletter-field kind="number"></newsletter-field>', error: `Type '"number"' is not assignable` },
];

export const svelte: App = {
  name: 'Svelte 5',
  packages: [
    'svelte@5.57.3',
    'svelte-check@4.7.8',
    'typescript@6.0.3',
    'vite@8.3.8',
    '@sveltejs/vite-plugin-svelte@7.3.1',
  ],
  files: {
    'index.html': page('/src/main.ts'),
    'vite.config.js': `
      import { svelte } from '@sveltejs/vite-plugin-svelte';
      export default { plugins: [svelte()] };`,
    'tsconfig.json': JSON.stringify({ compilerOptions, include: ['src'] }),
    'src/main.ts': `
      import { mount } from 'svelte';
      import '@newsletter-kit/signup/define';
      import '@newsletter-kit/signup/svelte';
      import App from './App.svelte';
      mount(App, { target: document.querySelector('#app')! });`,
    'src/App.svelte': `
<script lang="ts">
  import type { NewsletterSignup } from '@newsletter-kit/signup';

  const query = new URLSearchParams(location.search);
  const endpoint = query.get('endpoint') ?? '';
  const hasFields = query.get('form') === 'fields';
  const isKeyed = query.get('list') === 'keyed';
  const isRequired = (name: string) => name === 'Company';

  let names = $state(['Company', 'First name', 'City']);
  let answers = $state<Record<string, string>>({});
  let heard = $state<string[]>([]);
  let form = $state<NewsletterSignup>();
</script>

<newsletter-signup
  bind:this={form}
  {endpoint}
  utm-source="blog"
  expose-email={false}
  messages={{ button: 'Join' }}
  onnewsletter-submit={(event) => heard.push(\`\${event.type} \${form?.messages.button}\`)}
  onnewsletter-success={(event) => heard.push(\`\${event.type} \${event.attribution.utm_source}\`)}
  onnewsletter-error={(event) => heard.push(\`\${event.type} \${event.kind}\`)}
  onnewsletter-warning={(event) => heard.push(\`\${event.type} \${event.reason}\`)}
>
  {#if hasFields}
    {#if isKeyed}
      {#each names as name (name)}
        <newsletter-field {name} required={isRequired(name)}></newsletter-field>
      {/each}
    {:else}
      {#each names as name}
        <newsletter-field {name} required={isRequired(name)}></newsletter-field>
      {/each}
    {/if}
    <newsletter-field name="Plan" value="basic" hidden></newsletter-field>
  {:else}
    <form method="post">
      <label>Email <input name="email" type="email" /></label>
      {#if isKeyed}
        {#each names as name (name)}
          <label>{name} <input name={\`custom_fields[\${name}]\`} required={isRequired(name)} /></label>
        {/each}
      {:else}
        {#each names as name}
          <label>
            {name}
            <input name={\`custom_fields[\${name}]\`} required={isRequired(name)} bind:value={answers[name]} />
          </label>
        {/each}
      {/if}
      <input type="hidden" name="custom_fields[Plan]" value="basic" />
      <button>Join</button>
    </form>
  {/if}
</newsletter-signup>
<button id="remove" onclick={() => (names = names.filter((name) => name !== 'Company'))}>Remove</button>
<button id="insert" onclick={() => (names = ['Job title', ...names])}>Insert</button>
<output id="heard">{heard.join(', ')}</output>`,
    'src/Mistakes.svelte': `<script lang="ts"></script>\n${linesOf(mistakes)}\n`,
  },
  checkers: [
    {
      title: 'svelte-check',
      command: 'svelte-check',
      args: ['--tsconfig', 'tsconfig.json', '--output', 'machine-verbose'],
    },
  ],
  mistakesFile: 'src/Mistakes.svelte',
  mistakes,
};
