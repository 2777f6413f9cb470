import { erasedText, wordsOr } from '@parley/client/ai-sdk';
import { useCallback, useEffect, useState } from 'react';
import { ApprovalCard } from './approval-card.jsx';
import { call, wordsFor } from './call.js';

/**
 * All approvals that wait for the user, including those of no conversation, such as the contract of an automation.
 * @param {{ tools: import('./shell.jsx').Tools }} props
 */
export function ApprovalsPage({ tools }) {
  const [approvals, setApprovals] = useState(
    /** @type {import('@parley/client').Schemas['Approval'][] | null} */ (null),
  );
  const [busyId, setBusyId] = useState('');
  const [problem, setProblem] = useState('');
  const { announce, fail } = tools;

  const read = useCallback(async () => {
    try {
      const { data } = await call('GET', '/api/approvals');
      setApprovals(data);
    } catch (error) {
      if (!fail(error)) setProblem(wordsFor(error));
    }
  }, [fail]);
  useEffect(() => void read(), [read]);

  /**
   * @param {{ id: string, fingerprint: string }} approval as it was shown
   * @param {{ approved: boolean, reason: string }} answer
   */
  async function answer({ id, fingerprint }, { approved, reason }) {
    setBusyId(id);
    setProblem('');
    try {
      if (approved) await call('POST', `/api/approvals/${id}/approve`, { fingerprint });
      else await call('POST', `/api/approvals/${id}/deny`, reason === '' ? {} : { reason });
      announce('Your decision is recorded.');
    } catch (error) {
      // Keeps the question, with the failure.
      if (!fail(error)) setProblem(wordsFor(error));
    }
    await read();
    setBusyId('');
  }

  return (
    <section className="page">
      <h2>Approvals</h2>
      <p role="alert" className="problem">
        {problem}
      </p>
      {approvals === null && problem === '' && <p>Loading…</p>}
      {approvals?.length === 0 && <p>Nothing waits for you.</p>}
      {approvals?.map((approval) => (
        <div key={approval.id}>
          <ApprovalCard
            asked={{
              ...approval,
              approvalId: approval.id,
              summary: wordsOr(approval.summary, erasedText),
              terms: wordsOr(approval.terms, []),
            }}
            state="approval-requested"
            isBusy={busyId === approval.id}
            announce={announce}
            onAnswer={(given) => void answer(approval, given)}
          />
          {approval.conversationId && <a href={`#/chat/${approval.conversationId}`}>Where it was asked</a>}
        </div>
      ))}
    </section>
  );
}
