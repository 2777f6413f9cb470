import { useCallback, useEffect, useState } from 'react';
import { call, wordsFor } from './call.js';
import { Shell } from './shell.jsx';

/** The page, or the form to sign in. */
export function App() {
  const [name, setName] = useState(/** @type {string | null | undefined} undefined: not known yet */ (undefined));
  const [notice, setNotice] = useState('');

  useEffect(() => {
    call('GET', '/api/session').then(
      (session) => setName(session.name),
      (error) => {
        setNotice(wordsFor(error));
        setName(null);
      },
    );
  }, []);

  const leave = useCallback(() => {
    setNotice('Your session is over. Please sign in again.');
    setName(null);
  }, []);

  async function signOut() {
    await call('DELETE', '/api/session').catch(() => undefined); // the page drops the session in any case
    location.hash = '';
    setNotice('');
    setName(null);
  }

  if (name === undefined) return <p className="loading">Loading…</p>;
  if (name === null) return <SignIn notice={notice} onSignedIn={setName} />;
  return <Shell name={name} onSignOut={() => void signOut()} onSessionOver={leave} />;
}

/** @param {{ notice: string, onSignedIn: (name: string) => void }} props */
function SignIn({ notice, onSignedIn }) {
  const [problem, setProblem] = useState('');

  /** @param {import('react').FormEvent<HTMLFormElement>} event */
  async function submit(event) {
    event.preventDefault();
    const name = new FormData(event.currentTarget).get('name');
    try {
      const session = await call('POST', '/api/session', { name });
      onSignedIn(session.name);
    } catch (error) {
      setProblem(wordsFor(error));
    }
  }

  return (
    <main className="door">
      <h1>Talk to your agent</h1>
      <form onSubmit={(event) => void submit(event)}>
        <label htmlFor="name">Your name</label>
        <input id="name" name="name" required maxLength={60} pattern=".*\S.*" autoComplete="username" />
        <button className="primary">Sign in</button>
        <p role="alert" className="problem">
          {problem || notice}
        </p>
      </form>
    </main>
  );
}
