/** An app in React 19. */
import { compilerOptions, linesOf, page, type App, type Mistake } from './app.ts';

const mistakes: readonly Mistake[] = [
  { code: '<newsletter-signup attribution="both" />,', error: `Type '"both"' is not assignable` },
  { code: `<newsletter-signup messages={{ buton: 'Join' }} />,`, error: `'buton' does not exist` },
  { code: '<newsletter-signup text-button={7} />,', error: `Type 'number' is not assignable to type 'string'` },
  {
    code: '<newsletter-signup onnewsletter-submit={(event) => event.password} />,',
    error: `'password' does not exist on type 'NewsletterSubmitEvent'`,
  },
  {
    code: '<newsletter-signup onnewsletter-success={(event) => event.password} />,',
    error: `'password' does not exist on type 'NewsletterSuccessEvent'`,
  },
  {
    code: '<newsletter-signup onnewsletter-error={(event) => event.password} />,',
    error: `'password' does not exist on type 'NewsletterErrorEvent'`,
  },
  {
    code: '<newsletter-signup onnewsletter-warning={(event) => event.password} />,',
    error: `'password' does not exist on type 'NewsletterWarningEvent'`,
  },
  { code: '<newsletter-field kind="number" />,', error: `Type '"number"' is not assignable` },
];

export const react: App = {
  name: 'React 19',
  packages: [
    'react@19.3.1',
    'react-dom@19.3.1',
    '@types/react@19.3.0',
    '@types/react-dom@19.3.0',
    'typescript@7.0.2',
    'vite@8.3.8',
    '@vitejs/plugin-react@6.3.0',
  ],
  files: {
    'index.html': page('/src/main.tsx'),
    'vite.config.js': `
      import react from '@vitejs/plugin-react';
      export default { plugins: [react()] };`,
    'tsconfig.json': JSON.stringify({ compilerOptions: { ...compilerOptions, jsx: 'react-jsx' }, include: ['src'] }),
    'src/main.tsx': `
      import { createRoot } from 'react-dom/client';
      import '@newsletter-kit/signup/define';
      import '@newsletter-kit/signup/react';
      import { App } from './App';
      createRoot(document.querySelector('#app')!).render(<App />);`,
    'src/App.tsx': `
      import { useRef, useState } from 'react';
      import type { NewsletterSignup } from '@newsletter-kit/signup';

      const query = new URLSearchParams(location.search);
      const endpoint = query.get('endpoint') ?? '';
      const isKeyed = query.get('list') === 'keyed';
      const isRequired = (name: string) => name === 'Company';
      const keyOf = (name: string, position: number) => (isKeyed ? name : position);

      export function App() {
        const [names, setNames] = useState(['Company', 'First name', 'City']);
        const [heard, setHeard] = useState<string[]>([]);
        const hear = (words: string) => setHeard((before) => [...before, words]);
        const form = useRef<NewsletterSignup>(null);
        return (
          <>
            <newsletter-signup
              ref={form}
              endpoint={endpoint}
              utm-source="blog"
              expose-email={false}
              messages={{ button: 'Join' }}
              onnewsletter-submit={(event) => hear(\`\${event.type} \${form.current?.messages.button}\`)}
              onnewsletter-success={(event) => hear(\`\${event.type} \${event.attribution.utm_source}\`)}
              onnewsletter-error={(event) => hear(\`\${event.type} \${event.kind}\`)}
              onnewsletter-warning={(event) => hear(\`\${event.type} \${event.reason}\`)}
            >
              {query.get('form') === 'fields' ? (
                <>
                  {names.map((name, position) => (
                    <newsletter-field key={keyOf(name, position)} name={name} required={isRequired(name)} />
                  ))}
                  <newsletter-field name="Plan" value="basic" hidden />
                </>
              ) : (
                <OwnForm names={names} />
              )}
            </newsletter-signup>
            <button id="remove" onClick={() => setNames(names.filter((name) => name !== 'Company'))}>Remove</button>
            <button id="insert" onClick={() => setNames(['Job title', ...names])}>Insert</button>
            <output id="heard">{heard.join(', ')}</output>
          </>
        );
      }

      function OwnForm({ names }: { names: readonly string[] }) {
        const [answers, setAnswers] = useState<Record<string, string>>({});
        return (
          <form method="post">
            <label>Email <input name="email" type="email" /></label>
            {names.map((name, position) => (
              <label key={keyOf(name, position)}>
                {name}
                {isKeyed ? (
                  <input name={\`custom_fields[\${name}]\`} required={isRequired(name)} />
                ) : (
                  <input
                    name={\`custom_fields[\${name}]\`}
                    required={isRequired(name)}
                    value={answers[name] ?? ''}
                    onChange={({ target }) => setAnswers({ ...answers, [name]: target.value })}
                  />
                )}
              </label>
            ))}
            <input type="hidden" name="custom_fields[Plan]" value="basic" />
            <button>Join</button>
          </form>
        );
      }`,
    'src/Mistakes.tsx': `export const mistakes = [\n${linesOf(mistakes)}\n];`,
  },
  checkers: [{ title: 'tsc', command: 'tsc', args: [] }],
  mistakesFile: 'src/Mistakes.tsx',
  mistakes,
};
