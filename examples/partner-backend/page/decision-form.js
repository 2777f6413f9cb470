import { call } from './backend.js';
import { make, showProblem } from './elements.js';

/**
 * Returns a form to approve, or to deny with a reason. The decision itself is shown when the journal reports it; the event
 * `decided` is for approvals without a journal.
 * @param {{ id: string, fingerprint: string }} approval
 * @param {HTMLElement} heading takes the focus when the buttons disappear
 */
export function decisionForm({ id, fingerprint }, heading) {
  const approve = make('button', { type: 'button', class: 'primary' }, 'Approve');
  const deny = make('button', { type: 'button', 'aria-expanded': 'false' }, 'Deny…');
  const reason = make('textarea', { id: `reason-${id}`, rows: '2', maxlength: '1024' });
  const confirm = make('button', { class: 'danger' }, 'Deny');
  const denial = make(
    'form',
    { class: 'denial', hidden: true },
    make('label', { for: reason.id }, 'Why not? The agent will read it. (optional)'),
    reason,
    confirm,
  );
  const problem = make('p', { class: 'problem', role: 'alert', hidden: true });
  const buttons = [approve, deny, confirm];

  /**
   * @param {'approve' | 'deny'} decision
   * @param {object} body
   */
  async function decide(decision, body) {
    showProblem(problem, null);
    for (const button of buttons) button.disabled = true;
    try {
      await call('POST', `/api/approvals/${id}/${decision}`, body);
      heading.focus();
      form.dispatchEvent(new CustomEvent('decided', { bubbles: true }));
    } catch (error) {
      showProblem(problem, /** @type {Error} call() throws nothing else */ (error).message);
      for (const button of buttons) button.disabled = false;
    }
  }

  approve.addEventListener('click', () => void decide('approve', { fingerprint }));
  deny.addEventListener('click', () => {
    denial.hidden = !denial.hidden;
    deny.setAttribute('aria-expanded', String(!denial.hidden));
    if (!denial.hidden) reason.focus();
  });
  denial.addEventListener('submit', (event) => {
    event.preventDefault();
    const words = reason.value.trim();
    void decide('deny', words === '' ? {} : { reason: words });
  });
  const form = make('div', { class: 'decision' }, make('div', { class: 'buttons' }, approve, deny), denial, problem);
  return form;
}
