/** An app in Vue 3. */
import { compilerOptions, linesOf, page, type App, type Checker, type Mistake } from './app.ts';

const mistakes: readonly Mistake[] = [
  { code: '<newsletter-signup attribution="both"></newsletter-signup>', error: `Type '"both"' is not assignable` },
  {
    code: `<newsletter-signup :messages="{ buton: 'Join' }"></newsletter-signup>`,
    error: `'buton' does not exist`,
  },
  {
    code: '<newsletter-signup :text-button="7"></newsletter-signup>',
    error: `Type 'number' is not assignable to type 'string'`,
  },
  {
    code: '<newsletter-signup @newsletter-submit="(event) => event.password"></newsletter-signup>',
    error: `'password' does not exist on type 'NewsletterSubmitEvent'`,
  },
  {
    code: '<newsletter-signup @newsletter-success="(event) => event.password"></newsletter-signup>',
    error: `'password' does not exist on type 'NewsletterSuccessEvent'`,
  },
  {
    code: '<newsletter-signup @newsletter-error="(event) => event.password"></newsletter-signup>',
    error: `'password' does not exist on type 'NewsletterErrorEvent'`,
  },
  {
    code: '<newsletter-signup @newsletter-warning="(event) => event.password"></newsletter-signup>',
    error: `'password' does not exist on type 'NewsletterWarningEvent'`,
  },
  { code: '<newsletter-field kind="number"></newsletter-field>', error: `Type '"number"' is not assignable` },
];

/** Both versions, by the aliases they are installed under, with the settings of a new app and with strict templates. */
const checkers: readonly Checker[] = ['vue-tsc-2', 'vue-tsc-3'].flatMap((alias) =>
  ['tsconfig.json', 'tsconfig.strict.json'].map((config) => ({
    title: `${alias} and ${config}`,
    command: `../${alias}/bin/vue-tsc.js`,
    args: ['-p', config],
  })),
);

export const vue: App = {
  name: 'Vue 3',
  packages: [
    'vue@3.5.45',
    'vue-tsc-2@npm:vue-tsc@2.2.12',
    'vue-tsc-3@npm:vue-tsc@3.3.14',
    'typescript@6.0.3',
    'vite@8.3.8',
    '@vitejs/plugin-vue@6.0.11',
  ],
  files: {
    'index.html': page('/src/main.ts'),
    'vite.config.js': `
      import vue from '@vitejs/plugin-vue';
      const isCustomElement = (tag) => tag.startsWith('newsletter-');
      export default { plugins: [vue({ template: { compilerOptions: { isCustomElement } } })] };`,
    'tsconfig.json': JSON.stringify({ compilerOptions, include: ['src'] }),
    'tsconfig.strict.json': JSON.stringify({
      extends: './tsconfig.json',
      vueCompilerOptions: { strictTemplates: true },
    }),
    'src/main.ts': `
      import { createApp } from 'vue';
      import '@newsletter-kit/signup/define';
      import '@newsletter-kit/signup/vue';
      import App from './App.vue';
      createApp(App).mount('#app');`,
    'src/App.vue': `
<script setup lang="ts">
import { ref, useTemplateRef } from 'vue';
import type { NewsletterSignup } from '@newsletter-kit/signup';

const query = new URLSearchParams(location.search);
const endpoint = query.get('endpoint') ?? '';
const hasFields = query.get('form') === 'fields';
const isKeyed = query.get('list') === 'keyed';
const isRequired = (name: string) => name === 'Company';

const names = ref(['Company', 'First name', 'City']);
const answers = ref<Record<string, string>>({});
const heard = ref<string[]>([]);
const form = useTemplateRef<NewsletterSignup>('form');
</script>

<template>
  <newsletter-signup
    ref="form"
    :endpoint="endpoint"
    utm-source="blog"
    :expose-email="false"
    :messages="{ button: 'Join' }"
    @newsletter-submit="(event) => heard.push(\`\${event.type} \${form?.messages.button}\`)"
    @newsletter-success="(event) => heard.push(\`\${event.type} \${event.attribution.utm_source}\`)"
    @newsletter-error="(event) => heard.push(\`\${event.type} \${event.kind}\`)"
    @newsletter-warning="(event) => heard.push(\`\${event.type} \${event.reason}\`)"
  >
    <template v-if="hasFields">
      <template v-if="isKeyed">
        <newsletter-field v-for="name in names" :key="name" :name="name" :required="isRequired(name)" />
      </template>
      <template v-else>
        <newsletter-field v-for="name in names" :name="name" :required="isRequired(name)" />
      </template>
      <newsletter-field name="Plan" value="basic" hidden />
    </template>
    <form v-else method="post">
      <label>Email <input name="email" type="email" /></label>
      <template v-if="isKeyed">
        <label v-for="name in names" :key="name">
          {{ name }} <input :name="\`custom_fields[\${name}]\`" :required="isRequired(name)" />
        </label>
      </template>
      <template v-else>
        <label v-for="name in names">
          {{ name }} <input v-model="answers[name]" :name="\`custom_fields[\${name}]\`" :required="isRequired(name)" />
        </label>
      </template>
      <input type="hidden" name="custom_fields[Plan]" value="basic" />
      <button>Join</button>
    </form>
  </newsletter-signup>
  <button id="remove" @click="names = names.filter((name) => name !== 'Company')">Remove</button>
  <button id="insert" @click="names = ['Job title', ...names]">Insert</button>
  <output id="heard">{{ heard.join(', ') }}</output>
</template>`,
    'src/Mistakes.vue': `<script setup lang="ts"></script>\n<template>\n${linesOf(mistakes)}\n</template>`,
  },
  checkers,
  mistakesFile: 'src/Mistakes.vue',
  mistakes,
};
