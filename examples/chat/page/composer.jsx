import { useEffect, useRef } from 'react';

/**
 * The field to write a message in: Enter sends, Shift+Enter begins a line.
 * @param {{ draft: string, onDraft: (text: string) => void, onSend: (text: string) => void, onStop?: () => void, isBusy: boolean, problem: string }} props
 */
export function Composer({ draft, onDraft, onSend, onStop, isBusy, problem }) {
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  useEffect(() => field.current?.focus(), []);

  function send() {
    const text = draft.trim();
    if (text === '' || isBusy) return;
    onSend(text);
  }

  /** @param {import('react').KeyboardEvent} event */
  function keyDown(event) {
    // While a word is being composed (IME), Enter confirms it.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  }

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <p role="alert" className="problem">
        {problem}
      </p>
      <label htmlFor="message">Message</label>
      <div className="line">
        <textarea
          id="message"
          ref={field}
          rows={2}
          maxLength={32_768}
          value={draft}
          onChange={(event) => onDraft(event.target.value)}
          onKeyDown={keyDown}
        />
        {isBusy && onStop !== undefined ? (
          <button type="button" onClick={onStop}>
            Stop
          </button>
        ) : (
          <button className="primary" disabled={isBusy || draft.trim() === ''}>
            Send
          </button>
        )}
      </div>
    </form>
  );
}
