const words = {
  submitted: 'Sent. Waiting for the settlement…',
  settled: 'Settled: the money has moved.',
  failed: 'It failed.',
};

/**
 * A transfer and its outcome.
 * @param {{ data: import('@parley/client/ai-sdk').SettlementData }} props
 */
export function Settlement({ data }) {
  const { status, failure, actions } = data;
  const references = actions.flatMap(({ providerReference }) => providerReference ?? []);
  return (
    <div className="card settlement" data-status={status}>
      <p>
        {words[status]}
        {failure !== null && ` ${failure.text}`}
      </p>
      {references.map((reference) => (
        <p key={reference} className="quiet">
          Reference <code>{reference}</code>
        </p>
      ))}
    </div>
  );
}
