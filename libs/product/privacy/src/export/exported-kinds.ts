import { budgetKind } from '@app/budget';
import { runBindingKind } from '@app/runs';
import { identityKind } from '@app/users';
import { walletKind } from '@app/wallets';
import { erasureKind } from '../erasure/erasure.stream';
import { retentionKind } from '../retention/retention.stream';
import { personalKinds, userIdItself, type IdsOf } from '../personal-streams';

/** A file of events: all streams of one kind that are a user's. */
export interface EventFile extends IdsOf {
  readonly file: string;
  /** The content, for the readers of the archive's index. */
  readonly content: string;
}

/** Kinds that have no words, or that an erasure closes by other means than reading them. */
const further: readonly IdsOf[] = [
  // After an erasure nothing leads to them.
  {
    kind: identityKind,
    sql: "SELECT substr(key_id, 3) AS id FROM sealing_keys WHERE user_id = $1 AND key_id LIKE 'i/%'",
  },
  { kind: walletKind, sql: userIdItself },
  { kind: budgetKind, sql: userIdItself },
  // Only ids that a client chose are bound; those of version 5 and 7 are the service's own.
  {
    kind: runBindingKind,
    sql: "SELECT run_key::text AS id FROM {runs} WHERE user_id = $1 AND substr(id::text, 15, 1) NOT IN ('5', '7')",
  },
  { kind: erasureKind, sql: userIdItself },
  {
    kind: retentionKind,
    sql: `SELECT a.id::text AS id FROM {archived_conversations} AS a JOIN {conversations} AS c ON c.id = a.id
          WHERE c.user_id = $1 AND a.is_closed`,
  },
];

/** File and content of each kind, in the order of the archive. */
const files: Readonly<Record<string, { readonly file: string; readonly content: string }>> = {
  user: {
    file: 'account.jsonl',
    content: 'The account: the login that it belongs to, and when it was opened, disabled or enabled.',
  },
  identity: { file: 'logins.jsonl', content: 'The logins that lead to the account.' },
  conversation: {
    file: 'conversations.jsonl',
    content:
      'The conversations, one after the other, each with its whole journal: titles, messages, runs of the agent, its tools with their inputs and results, approvals with their contracts, uploads.',
  },
  run: { file: 'run-ids.jsonl', content: 'Ids that the app chose for runs.' },
  automation: {
    file: 'automations.jsonl',
    content: 'The automations: their definitions, approvals and contracts, and each occurrence.',
  },
  input: { file: 'automation-inputs.jsonl', content: 'Data that was sent to automations.' },
  wallet: {
    file: 'wallet.jsonl',
    content: 'The wallet: its address, its main account, and when it was disabled or enabled.',
  },
  operation: {
    file: 'operations.jsonl',
    content: 'The movements of money: each with its approval, its contract, what was sent, and how it ended.',
  },
  budget: { file: 'budget.jsonl', content: 'What the agent may spend and has spent.' },
  erasure: { file: 'erasure.jsonl', content: 'The erasure of the account, if one was requested.' },
  retention: {
    file: 'closed-conversations.jsonl',
    content: 'When the words of old archived conversations were closed for good.',
  },
};

/** Every file of events in an archive. */
export const eventFiles: readonly EventFile[] = Object.entries(files).map(([category, { file, content }]) => {
  const found = [...personalKinds, ...further].find(({ kind }) => kind.category === category);
  if (found === undefined) throw new Error(`there is no kind ${category}`);
  return { ...found, file, content };
});

/** The categories of streams that are a user's, each of which an export has whole. */
export const exportedCategories: readonly string[] = Object.keys(files);
