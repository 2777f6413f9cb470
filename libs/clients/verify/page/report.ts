/** The result of verifying, as elements of the page. */
import type { ReceiptCheckpoint, ReceiptFinding, ReceiptProblem, ReceiptReport } from '../src/index.js';
import { approvalCards } from './approval-words.js';
import { bullets, card, facts, make, type Child } from './elements.js';

/** The verdict, in red, green, or amber where words are not there: a heading that can take the focus. */
export function verdictElement({ holds, unchecked, erased }: ReceiptReport): HTMLElement {
  const isUnsigned = unchecked.some(({ aspect }) => aspect === 'signature');
  const [words, colour] = !holds
    ? ['This receipt does not hold.', 'wrong']
    : erased.length > 0
      ? [withoutWords(isUnsigned), 'partly']
      : isUnsigned
        ? ['This receipt holds as far as it was checked: the signature of the log was not.', 'good']
        : ['This receipt holds, and all of its events are in the log.', 'good'];
  const heading = make('h2', `banner ${colour}`, words);
  heading.id = 'verdict';
  heading.tabIndex = -1;
  return heading;
}

function withoutWords(isUnsigned: boolean): string {
  const signature = isUnsigned ? ' The signature of the log was not checked.' : '';
  return `The rest of this receipt holds, but words were erased or are withheld: see what is not proven.${signature}`;
}

/** Returns the findings behind the verdict, and the approval in words. */
export function reportElements(receipt: unknown, report: ReceiptReport): readonly HTMLElement[] {
  const { holds, proven, unproven, unchecked, problems, checkpoint } = report;
  return [
    ...(problems.length === 0 ? [] : [card('Wrong', bullets(problems, problemChildren))]),
    ...(proven.length === 0 ? [] : [card('Proven', bullets(proven, findingChildren))]),
    ...(unproven.length === 0 ? [] : [card('Not proven', bullets(unproven, findingChildren))]),
    ...(unchecked.length === 0 ? [] : [card('Not checked', bullets(unchecked, findingChildren))]),
    ...(holds ? [] : [make('p', 'banner wrong', 'What follows is only what the receipt says. It does not hold.')]),
    ...approvalCards(receipt),
    checkpointCard(checkpoint, unchecked),
  ];
}

function problemChildren({ path, stream, revision, message }: ReceiptProblem): readonly Child[] {
  const where = path === '' ? 'The document' : make('code', '', path);
  const event = stream === null ? null : make('div', 'hint', `Event ${revision} of stream ${stream}`);
  return [where, ` ${message}`, event];
}

function findingChildren({ text }: ReceiptFinding): readonly Child[] {
  return [text];
}

function checkpointCard(checkpoint: ReceiptCheckpoint | null, unchecked: readonly ReceiptFinding[]): HTMLElement {
  if (checkpoint === null)
    return card('The checkpoint', make('p', '', 'There is none that this receipt could be checked against.'));
  const { origin, size, root, witnesses } = checkpoint;
  const isUnsigned = unchecked.some(({ aspect }) => aspect === 'signature');
  const seen = bullets(witnesses, ({ name, at }) => [`${name}, at ${at}`]);
  return card(
    'The checkpoint',
    isUnsigned ? make('p', '', 'Its signature was not checked: add the public key of the log.') : null,
    facts([
      ['Log', origin],
      ['Size', `${size} events`],
      ['Root', make('code', '', root)],
      ['Witnesses', witnesses.length === 0 ? 'None whose key you gave' : seen],
    ]),
  );
}
