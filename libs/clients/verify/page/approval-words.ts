/** Renders a receipt's approval in words, true or not: any member may be missing or have any value. */
import { fromBase64 } from '../src/index.js';
import { bullets, card, facts, make, type Child } from './elements.js';

/** Longer texts are cut. */
const charactersMax = 20_000;

/** Returns a nested member; undefined if there is none. */
function within(value: unknown, ...names: readonly string[]): unknown {
  let found = value;
  for (const name of names) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = Reflect.get(found, name);
  }
  return found;
}

function textIn(value: unknown, ...names: readonly string[]): string | null {
  const found = within(value, ...names);
  if (typeof found !== 'string' || found === '') return null;
  return found.length > charactersMax ? `${found.slice(0, charactersMax)}…` : found;
}

function listIn(value: unknown, ...names: readonly string[]): readonly unknown[] {
  const found = within(value, ...names);
  return Array.isArray(found) ? found : [];
}

/** Whether the receipt says that the words were erased. */
function isErased(value: unknown, ...names: readonly string[]): boolean {
  return within(value, ...names, 'erased') === true;
}

/** In place of words that are not there. */
const erasedWords = 'Erased, or withheld from this receipt.';

/** Returns a time such as `2026-11-21T09:19:24.117Z` in a readable form. */
function timeIn(value: unknown, ...names: readonly string[]): string | null {
  const found = textIn(value, ...names);
  return found?.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2 UTC') ?? null;
}

/** Returns cards with everything that a receipt says about what was reviewed, decided and done. */
export function approvalCards(receipt: unknown): readonly HTMLElement[] {
  const { approval, decision, operation, authority } = {
    approval: within(receipt, 'approval'),
    decision: within(receipt, 'decision'),
    operation: within(receipt, 'operation'),
    authority: within(receipt, 'authority'),
  };
  const contract = within(authority, 'approval');
  return [
    card('What was reviewed', ...reviewed(approval), exactly(receipt)),
    card('The decision', decided(approval, decision)),
    ...(contract === undefined
      ? []
      : [
          card(
            "The automation's contract that covered it",
            ...reviewed(contract),
            decided(contract, within(authority, 'decision')),
          ),
        ]),
    card('What was done', ...done(operation)),
  ];
}

/** Returns the summary, then the same as a list of terms. */
function reviewed(approval: unknown): readonly Child[] {
  const terms = listIn(approval, 'terms').slice(0, 20);
  return [
    make(
      'p',
      'lines',
      textIn(approval, 'summary') ?? (isErased(approval, 'summary') ? erasedWords : 'The receipt does not say.'),
    ),
    facts([
      ...terms.map((term) => [textIn(term, 'name') ?? '', textIn(term, 'text')] as const),
      ['Tool', textIn(approval, 'tool')],
      ['Asked', timeIn(approval, 'openedAt')],
      ['To decide before', timeIn(approval, 'expiresAt')],
      ['Approval', textIn(approval, 'id')],
      ['Fingerprint', textIn(approval, 'fingerprint')],
    ]),
  ];
}

/** Shows the bytes that the fingerprint covers; null if the receipt has none. */
function exactly(receipt: unknown): HTMLElement | null {
  const bytes = fromBase64(textIn(receipt, 'review', 'canonical') ?? '');
  if (bytes === null || bytes.length === 0) return null;
  const text = new TextDecoder().decode(bytes);
  return make('details', '', make('summary', '', 'Exactly what was reviewed'), make('pre', '', indented(text)));
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const statuses = new Map([
  ['approved', 'Approved'],
  ['denied', 'Denied'],
  ['pending', 'Not decided yet'],
  ['expired', 'Ended without a decision'],
]);
const deciders = new Map([
  ['user', 'the user'],
  ['automation_contract', 'an approved contract of the automation'],
]);
const ends = new Map([
  ['timeout', 'nobody decided in time'],
  ['run_ended', 'the run was over before'],
  ['superseded', 'the automation was changed or archived'],
]);

function worded(words: ReadonlyMap<string, string>, text: string | null): string | null {
  return text === null ? null : (words.get(text) ?? text);
}

function decided(approval: unknown, decision: unknown): HTMLElement {
  return facts([
    ['Decision', worded(statuses, textIn(approval, 'status'))],
    ['By', worded(deciders, textIn(decision, 'decidedBy'))],
    [textIn(decision, 'actor', 'kind') === 'user' ? 'User' : 'Recorded by', textIn(decision, 'actor', 'id')],
    ['Partner key', textIn(decision, 'actor', 'partnerKeyId')],
    ['When', timeIn(decision, 'at')],
    ['Reason', isErased(approval, 'denialReason') ? erasedWords : textIn(approval, 'denialReason')],
    ['Ended because', worded(ends, textIn(approval, 'endedReason'))],
  ]);
}

const kinds = new Map([
  ['withdrawal', 'A withdrawal by the user'],
  ['agent_transfer', 'What an agent moves'],
  ['withdraw_to_owner', 'Withdrawal to the main account'],
  ['swap', 'Swap'],
]);

function done(operation: unknown): readonly Child[] {
  if (typeof operation !== 'object' || operation === null)
    return [make('p', '', 'Nothing was moved with this approval, as far as this receipt goes.')];
  return [
    facts([
      ['Operation', textIn(operation, 'id')],
      ['Kind', worded(kinds, textIn(operation, 'kind'))],
      ['Status', textIn(operation, 'status')],
      ['Settled', timeIn(operation, 'settledAt')],
      ['Failed because', textIn(operation, 'failure', 'text')],
    ]),
    bullets(listIn(operation, 'actions'), (action) => [
      worded(kinds, textIn(action, 'kind')),
      facts([
        ['Status', textIn(action, 'status')],
        ['Takes', amountIn(action, 'input')],
        ['Delivers', amountIn(action, 'output')],
        ['Came back', amountIn(action, 'returned')],
        ["Provider's name for it", textIn(action, 'providerReference')],
      ]),
    ]),
  ];
}

/** Returns an amount in the token's smallest unit, because a receipt need not say how many of them make one token. */
function amountIn(action: unknown, side: string): string | null {
  const [amount, token] = [textIn(action, side, 'amountRaw'), textIn(action, side, 'tokenId')];
  return amount === null ? null : `${amount} smallest units of ${token ?? 'an unnamed token'}`;
}
