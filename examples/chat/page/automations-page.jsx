import { erasedText, wordsOr } from '@parley/client/ai-sdk';
import { useCallback, useEffect, useState } from 'react';
import { call, wordsFor } from './call.js';
import { goTo } from './place.js';

/**
 * The user's automations. New ones are created in a conversation; none moves money before its terms are approved.
 * @param {{ tools: import('./shell.jsx').Tools }} props
 */
export function AutomationsPage({ tools }) {
  const [automations, setAutomations] = useState(
    /** @type {import('@parley/client').Schemas['Automation'][] | null} */ (null),
  );
  const [problem, setProblem] = useState('');
  const { announce, fail } = tools;

  const read = useCallback(async () => {
    try {
      const { data } = await call('GET', '/api/automations');
      setAutomations(data);
    } catch (error) {
      if (!fail(error)) setProblem(wordsFor(error));
    }
  }, [fail]);
  useEffect(() => void read(), [read]);

  /**
   * @param {import('@parley/client').Schemas['Automation']} automation as shown
   * @param {'pause' | 'resume'} verb
   */
  async function change({ id, name, revision }, verb) {
    setProblem('');
    try {
      await call('POST', `/api/automations/${id}/${verb}`, { revision });
      announce(`${wordsOr(name, erasedText)}: ${verb === 'pause' ? 'paused' : 'resumed'}`);
    } catch (error) {
      if (!fail(error)) setProblem(wordsFor(error));
    }
    await read();
  }

  return (
    <section className="page">
      <h2>Automations</h2>
      <p role="alert" className="problem">
        {problem}
      </p>
      {automations?.length === 0 && <p>There are none yet.</p>}
      <ul className="cards">
        {automations?.map((automation) => (
          <Automation key={automation.id} automation={automation} onChange={(verb) => void change(automation, verb)} />
        ))}
      </ul>
      <p>Say what should happen and when, such as “when NEAR drops below $2 swap 10 USDC to NEAR”.</p>
      <p>
        <button onClick={() => goTo('new')}>Talk about a new one</button>
      </p>
    </section>
  );
}

/**
 * @param {{ automation: import('@parley/client').Schemas['Automation'], onChange: (verb: 'pause' | 'resume') => void }} props
 */
function Automation({ automation, onChange }) {
  const { state, nextRunAt, occurrences, held } = automation;
  const name = wordsOr(automation.name, erasedText);
  const isOn = state === 'enabled';
  return (
    <li className="card automation" data-state={state}>
      <h3>{name}</h3>
      <p className="quiet">
        {isOn ? 'On' : state === 'paused' ? 'Paused' : 'Archived'}
        {held && ', held by the operator'}, ran {occurrences} {occurrences === 1 ? 'time' : 'times'}
        {nextRunAt !== null && (
          <>
            , looks next at <time dateTime={nextRunAt}>{new Date(nextRunAt).toLocaleString()}</time>
          </>
        )}
      </p>
      {state !== 'archived' && (
        <button onClick={() => onChange(isOn ? 'pause' : 'resume')} aria-label={`${isOn ? 'Pause' : 'Resume'} ${name}`}>
          {isOn ? 'Pause' : 'Resume'}
        </button>
      )}
    </li>
  );
}
