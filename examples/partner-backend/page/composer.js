import { call } from './backend.js';
import { byId, make, showProblem } from './elements.js';

const suggestions = ['What is my balance?', 'Price of NEAR', 'Withdraw 1.5 USDC', 'Swap 5 USDC to NEAR', 'Help'];
const titleLengthMax = 60;

/**
 * The form in which the user writes, sends and stops.
 * @param {object} talk
 * @param {(words: string) => Promise<string>} talk.conversationFor returns the open conversation's id; creates one for this message if none is open
 * @param {() => string | null} talk.liveRunId
 */
export function composer({ conversationFor, liveRunId }) {
  const form = byId('composer', HTMLFormElement);
  const text = byId('text', HTMLTextAreaElement);
  const send = byId('send', HTMLButtonElement);
  const stop = byId('stop', HTMLButtonElement);
  const problem = byId('problem', HTMLElement);
  /** The message being sent, with its run's id, so that sending it again after a failure starts no second run. */
  let draft = { text: '', runId: '' };

  async function submit() {
    const words = text.value.trim();
    if (words === '' || send.disabled) return;
    if (draft.text !== words) draft = { text: words, runId: crypto.randomUUID() };
    await attempt(send, async () => {
      const conversationId = await conversationFor(words);
      await call('POST', `/api/conversations/${conversationId}/messages`, draft);
      draft = { text: '', runId: '' };
      text.value = '';
    });
    text.focus();
  }

  /**
   * @param {HTMLButtonElement} button disabled meanwhile
   * @param {() => Promise<void>} work
   */
  async function attempt(button, work) {
    showProblem(problem, null);
    button.disabled = true;
    await work().catch((error) => showProblem(problem, error.message));
    button.disabled = false;
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit();
  });
  text.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void submit();
  });
  stop.addEventListener('click', () => {
    const runId = liveRunId();
    if (runId !== null) void attempt(stop, () => call('POST', `/api/runs/${runId}/abort`));
  });
  byId('suggestions', HTMLElement).append(
    ...suggestions.map((words) => {
      const button = make('button', { type: 'button' }, words);
      button.addEventListener('click', () => {
        text.value = words;
        void submit();
      });
      return make('li', {}, button);
    }),
  );
  return { focus: () => text.focus(), clearProblem: () => showProblem(problem, null) };
}

/**
 * Returns a title for a conversation from its first message.
 * @param {string} words
 */
export function titleFrom(words) {
  const characters = [...words.replace(/\s+/g, ' ')];
  return characters.length <= titleLengthMax
    ? characters.join('')
    : `${characters.slice(0, titleLengthMax - 1).join('')}…`;
}
