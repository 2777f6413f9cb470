/** What verifying found, as a part of the page. */
import type { ReceiptCheckpoint, ReceiptFinding, ReceiptProblem, ReceiptReport } from '../src/index.js';
import { approvalCards } from './approval-words.js';
import { bullets, card, facts, make, type Child } from './elements.js';

/** The first of them is the verdict, a heading that can take the focus. */
export function reportElements(receipt: unknown, report: ReceiptReport): readonly HTMLElement[] {
  const { holds, proven, unproven, problems, checkpoint } = report;
  return [
    verdict(report),
    ...(problems.length === 0 ? [] : [card('Wrong', bullets(problems, problemChildren))]),
    ...(proven.length === 0 ? [] : [card('Proven', bullets(proven, findingChildren))]),
    ...(unproven.length === 0 ? [] : [card('Not proven', bullets(unproven, findingChildren))]),
    ...(holds ? [] : [make('p', 'banner wrong', 'What follows is only what the receipt says. It does not hold.')]),
    ...approvalCards(receipt),
    checkpointCard(checkpoint, unproven),
  ];
}

function verdict({ holds, unproven }: ReceiptReport): HTMLElement {
  const [words, look] = !holds
    ? ['This receipt does not hold.', 'wrong']
    : unproven.length > 0
      ? ['Nothing is wrong with this receipt, but not everything is proven.', 'partly']
      : ['This receipt holds, and everything in it is proven.', 'good'];
  const heading = make('h2', `banner ${look}`, words);
  heading.id = 'verdict';
  heading.tabIndex = -1;
  return heading;
}

function problemChildren({ path, stream, revision, message }: ReceiptProblem): readonly Child[] {
  const where = path === '' ? 'The document' : make('code', '', path);
  const event = stream === null ? null : make('div', 'hint', `Event ${revision} of stream ${stream}`);
  return [where, ` ${message}`, event];
}

function findingChildren({ text }: ReceiptFinding): readonly Child[] {
  return [text];
}

function checkpointCard(checkpoint: ReceiptCheckpoint | null, unproven: readonly ReceiptFinding[]): HTMLElement {
  if (checkpoint === null)
    return card('The checkpoint', make('p', '', 'There is none that this receipt could be checked against.'));
  const { origin, size, root, witnesses } = checkpoint;
  const isUnsigned = unproven.some(({ aspect }) => aspect === 'signature');
  const seen = bullets(witnesses, ({ name, at }) => [`${name}, at ${at}`]);
  return card(
    'The checkpoint',
    isUnsigned ? make('p', '', 'Nobody’s signature was looked at: add the public key of the log.') : null,
    facts([
      ['Log', origin],
      ['Size', `${size} events`],
      ['Root', make('code', '', root)],
      ['Witnesses', witnesses.length === 0 ? 'None whose key you gave' : seen],
    ]),
  );
}
