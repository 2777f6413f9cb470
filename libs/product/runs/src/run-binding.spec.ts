import { asId, type ConversationId, type RunId, type UserId } from '@app/kernel';
import { instant, specification } from '@app/testing/deciders';
import { runBindingKind, runKeyOf } from './run-binding';

const at = instant('2026-03-01T10:00Z');
const userId = asId<UserId>('6f9619ff-8b86-4011-b42d-00c04fc964ff');
const runId = asId<RunId>('0190a000-0000-7000-8000-000000000001');
const bind = { at, userId, runId, conversationId: asId<ConversationId>('one') };
const bound = { type: 'run.bound', ...bind } as const;

describe('the binding of a run’s id', () => {
  const binding = specification(runBindingKind.decider);

  it('happens once', () => binding.when(bind).thenOnce(bound));
  it('stands forever', () => {
    const other = { ...bind, conversationId: asId<ConversationId>('two') };
    binding.given(bound).when(other).thenNothing();
    expect(binding.given(bound).state).toEqual({ conversationId: 'one' });
  });
});

describe('the key of a run', () => {
  it('is the UUIDv5 of the client’s id in the user’s namespace', () => {
    expect(runKeyOf(userId, runId)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(runKeyOf(userId, runId)).toBe(runKeyOf(userId, runId));
  });

  it('differs from user to user', () => {
    expect(runKeyOf(asId<UserId>('0190a000-0000-7000-8000-000000000002'), runId)).not.toBe(runKeyOf(userId, runId));
  });
});
