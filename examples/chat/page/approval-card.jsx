import { useEffect, useId, useRef, useState } from 'react';

/** The heading of the card, by the state of its tool call. */
const headings = new Map([
  ['approval-requested', 'Your approval is needed'],
  ['approval-responded', 'Sending your answer…'],
  ['input-available', 'Approved: it is being done'],
  ['output-available', 'Approved'],
  ['output-denied', 'Denied'],
  ['output-error', 'Not done'],
]);

/**
 * Shows the terms of an approval, line by line, and asks for the decision. The data for programs is last, collapsed.
 * @param {{
 *   asked: import('@parley/client/ai-sdk').ApprovalDescriptor,
 *   state: string,
 *   detail?: string,
 *   isBusy: boolean,
 *   announce: (words: string) => void,
 *   onAnswer: (answer: { approved: boolean, reason: string }) => void,
 * }} props
 */
export function ApprovalCard({ asked, state, detail = '', isBusy, announce, onAnswer }) {
  const { approvalId, expiresAt, fingerprint, input, contract, summary, terms, tool } = asked;
  const heading = useRef(/** @type {HTMLHeadingElement | null} */ (null));
  const headingId = useId();
  const isAsked = state === 'approval-requested';

  useEffect(() => {
    if (!isAsked) return;
    announce(`Your approval is needed. ${summary ?? ''}`);
    // Keeps its first line in view, however long it is.
    const frame = requestAnimationFrame(() => heading.current?.scrollIntoView({ block: 'nearest' }));
    return () => cancelAnimationFrame(frame);
  }, [isAsked, summary, announce]);

  return (
    <article className="card approval" data-approval={approvalId} data-state={state} aria-labelledby={headingId}>
      <h2 ref={heading} id={headingId} tabIndex={-1}>
        {headings.get(state) ?? state}
      </h2>
      {terms.length > 0 && (
        <dl className="terms">
          {terms.map(({ name, text }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      )}
      <p className="summary">{summary ?? 'What is asked could not be read in words; the request itself is below.'}</p>
      {isAsked && (
        <p className="quiet">
          Decide before <time dateTime={expiresAt}>{new Date(expiresAt).toLocaleString()}</time>
        </p>
      )}
      <details>
        <summary>The request itself</summary>
        <p className="fingerprint">
          Fingerprint <code>{fingerprint}</code>
        </p>
        <pre tabIndex={0}>{JSON.stringify({ tool, input, contract }, null, 2)}</pre>
      </details>
      {isAsked && (
        <Decision
          isBusy={isBusy}
          onAnswer={(answer) => {
            heading.current?.focus(); // the buttons disappear
            onAnswer(answer);
          }}
        />
      )}
      {detail !== '' && <p className="quiet detail">{detail}</p>}
    </article>
  );
}

/** @param {{ isBusy: boolean, onAnswer: (answer: { approved: boolean, reason: string }) => void }} props */
function Decision({ isBusy, onAnswer }) {
  const [isDenying, setDenying] = useState(false);
  const [reason, setReason] = useState('');
  const id = useId();
  return (
    <div className="decision">
      <button className="primary" disabled={isBusy} onClick={() => onAnswer({ approved: true, reason: '' })}>
        Approve
      </button>
      <button disabled={isBusy} aria-expanded={isDenying} onClick={() => setDenying(!isDenying)}>
        Deny…
      </button>
      {isDenying && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            onAnswer({ approved: false, reason: reason.trim() });
          }}
        >
          <label htmlFor={id}>Why not? The agent will read it. (optional)</label>
          <textarea
            id={id}
            rows={2}
            maxLength={1024}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
          <button className="danger" disabled={isBusy}>
            Deny
          </button>
        </form>
      )}
    </div>
  );
}
