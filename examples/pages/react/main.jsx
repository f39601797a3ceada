/** React 19 supports attributes and events of custom elements, so the tag needs no wrapper. */
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import '@newsletter-kit/signup/define';

const endpoint = import.meta.env.VITE_ENDPOINT ?? 'http://127.0.0.1:4020/signup';

function SignupForm() {
  const [button, setButton] = useState('Subscribe');
  const [sources, setSources] = useState([]);
  return (
    <main>
      <h1>The Harbour Letter</h1>
      <label>
        Words on the button <input value={button} onChange={({ target }) => setButton(target.value)} />
      </label>
      <newsletter-signup
        endpoint={endpoint}
        text-button={button}
        style={{ '--newsletter-radius': '0' }}
        onnewsletter-success={({ attribution }) => setSources([...sources, attribution.utm_source ?? 'nowhere'])}
      >
        <newsletter-field name="Topics" kind="list" options="boats, food" required />
      </newsletter-signup>
      <output>{sources.join(', ')}</output>
    </main>
  );
}

createRoot(document.getElementById('root')).render(
  <StrictMode>
    <SignupForm />
  </StrictMode>,
);
