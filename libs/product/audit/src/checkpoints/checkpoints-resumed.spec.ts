import { instant, specification } from '@app/testing/deciders';
import { checkpointsDecider } from './checkpoints.decider';
import type { CheckpointEvent } from './checkpoints.events';

const at = instant('2026-03-01T10:00Z');
const opened: CheckpointEvent = { type: 'log.opened', at, origin: 'parley/one' };
const tree = (size: number) => ({ at, size, root: `root of ${size}`, position: size * 10 });
const fixed = (size: number): CheckpointEvent => ({ type: 'checkpoint.fixed', ...tree(size) });
const signature = { key: 'parley/one+00000000+key', note: 'signed\n' };
const signed = (size: number): CheckpointEvent => ({ type: 'checkpoint.signed', at, size, ...signature });
const cosigned = (size: number): CheckpointEvent => ({
  type: 'checkpoint.cosigned',
  at,
  size,
  witness: 'w1',
  line: '— w1\n',
});
const asCopy = { type: 'Resume', at, as: 'copy', hold: 'h1', origin: 'parley/two', above: 0 } as const;
const asSuccessor = { ...asCopy, as: 'successor' } as const;
const from = { origin: 'parley/one', size: 3, root: 'root of 3', note: 'signed\n— w1\n' };
const copied = { ...asCopy, type: 'log.resumed', from } as const satisfies CheckpointEvent;
const succeeded = (above: number): CheckpointEvent => ({
  ...asSuccessor,
  type: 'log.resumed',
  origin: 'parley/one',
  from: null,
  above,
});
const checkpoints = specification(checkpointsDecider);
const grown = [opened, fixed(3), signed(3), cosigned(3)] as const;

describe('a log that was held', () => {
  it('goes on as a copy under another name, and says where it comes from', () => {
    checkpoints
      .given(...grown)
      .when(asCopy)
      .then(copied);
    const { state } = checkpoints.given(...grown, copied);
    expect(state).toMatchObject({ origin: 'parley/two', signed: [], keys: [], fixed: tree(3) });
  });

  it('signs as a copy what was decided last once more, under its own name, and only grows from there', () => {
    const sign = { type: 'Sign', at, size: 3, key: 'parley/two+1+key', note: 'mine\n' } as const;
    checkpoints
      .given(...grown, copied)
      .when({ type: 'Fix', ...tree(4) })
      .thenNothing();
    checkpoints
      .given(...grown, copied)
      .when(sign)
      .then({ ...sign, type: 'checkpoint.signed' });
    const again = checkpoints.given(...grown, copied, { ...sign, type: 'checkpoint.signed' });
    again.when({ type: 'Fix', ...tree(3) }).thenNothing();
    again.when({ type: 'Fix', ...tree(4) }).then(fixed(4));
  });

  it('begins anew where its events were sealed: sizes count from nothing, and the last checkpoint of before stays', () => {
    const anew = { ...asCopy, anew: true } as const;
    checkpoints
      .given(...grown)
      .when(anew)
      .then({ ...copied, anew: true });
    const after = checkpoints.given(...grown, { ...copied, anew: true });
    expect(after.state).toMatchObject({ origin: 'parley/two', fixed: null, signed: [], keys: [], above: 0 });
    after.when({ type: 'Sign', at, size: 3, ...signature }).thenNothing();
    after.when({ type: 'Fix', ...tree(1) }).then(fixed(1));
  });

  it('goes on as a successor under its own name, beyond all that a witness has seen', () => {
    checkpoints
      .given(...grown)
      .when({ ...asSuccessor, above: 7 })
      .then(succeeded(7));
    const later = checkpoints.given(...grown, succeeded(7));
    later.when({ type: 'Fix', ...tree(7) }).thenNothing();
    later.when({ type: 'Fix', ...tree(8) }).then(fixed(8));
  });

  it('is resumed once for each hold, whoever asks again, and in whatever way', () => {
    checkpoints
      .given(...grown, copied)
      .when(asCopy)
      .thenNothing();
    checkpoints
      .given(...grown, copied)
      .when(asSuccessor)
      .thenNothing();
    checkpoints
      .given(...grown, succeeded(0))
      .when(asCopy)
      .thenNothing();
    checkpoints
      .given(...grown, succeeded(0))
      .when({ ...asCopy, hold: 'h2' })
      .then({ ...copied, hold: 'h2' });
  });

  it('is not resumed before it has a name', () => checkpoints.when(asCopy).thenNothing());
});
