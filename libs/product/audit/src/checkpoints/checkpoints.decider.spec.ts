import { instant, specification } from '@app/testing/deciders';
import { checkpointsDecider } from './checkpoints.decider';
import type { CheckpointEvent } from './checkpoints.events';

const at = instant('2026-03-01T10:00Z');
const opened: CheckpointEvent = { type: 'log.opened', at, origin: 'parley/one' };
const tree = (size: number) => ({ at, size, root: `root of ${size}`, position: size * 10 });
const fixed = (size: number): CheckpointEvent => ({ type: 'checkpoint.fixed', ...tree(size) });
const signature = { key: 'parley/one+00000000+key', note: 'signed' };
const signed = (size: number): CheckpointEvent => ({ type: 'checkpoint.signed', at, size, ...signature });
const cosigned = (size: number, witness = 'w1'): CheckpointEvent => ({
  type: 'checkpoint.cosigned',
  at,
  size,
  witness,
  line: `line of ${witness}`,
});
const checkpoints = specification(checkpointsDecider);

describe('the checkpoints of the log', () => {
  it('are of one log for good', () => {
    const open = { type: 'Open', at, origin: 'parley/one' } as const;
    checkpoints.when(open).then(opened);
    checkpoints
      .given(opened)
      .when({ ...open, origin: 'parley/two' })
      .thenNothing();
  });

  it('are decided, then signed, then cosigned', () => {
    checkpoints
      .given(opened)
      .when({ type: 'Fix', ...tree(3) })
      .then(fixed(3));
    checkpoints
      .given(opened, fixed(3))
      .when({ type: 'Sign', at, size: 3, ...signature })
      .then(signed(3));
    const { state } = checkpoints.given(opened, fixed(3), signed(3), cosigned(3));
    expect(state.signed).toEqual([{ ...tree(3), ...signature, cosignatures: [{ witness: 'w1', line: 'line of w1' }] }]);
    expect(state.keys).toEqual([signature.key]);
  });

  it('have one tree for each size, and only grow', () => {
    const grown = checkpoints.given(opened, fixed(3), signed(3));
    grown.when({ type: 'Fix', ...tree(3), root: 'another' }).thenNothing();
    grown.when({ type: 'Fix', ...tree(2) }).thenNothing();
    grown.when({ type: 'Fix', ...tree(4) }).then(fixed(4));
  });

  it('wait for the signature of the one before', () => {
    checkpoints
      .given(opened, fixed(3))
      .when({ type: 'Fix', ...tree(4) })
      .thenNothing();
  });

  it('are of no log that was not opened', () => checkpoints.when({ type: 'Fix', ...tree(1) }).thenNothing());

  it('are signed once, and never what was not decided', () => {
    const sign = (size: number) => ({ type: 'Sign', at, size, ...signature }) as const;
    checkpoints.given(opened, fixed(3), signed(3)).when(sign(3)).thenNothing();
    checkpoints.given(opened, fixed(3)).when(sign(4)).thenNothing();
    checkpoints.given(opened).when(sign(3)).thenNothing();
  });

  it('are cosigned by each witness once, as long as they are among the last', () => {
    const cosign = (size: number, witness: string) =>
      ({ type: 'Cosign', at, size, witness, line: `line of ${witness}` }) as const;
    checkpoints.given(opened, fixed(3), signed(3), cosigned(3)).when(cosign(3, 'w1')).thenNothing();
    checkpoints.given(opened, fixed(3), signed(3), cosigned(3)).when(cosign(3, 'w2')).then(cosigned(3, 'w2'));
    const many = Array.from({ length: 33 }, (_, n) => [fixed(n + 1), signed(n + 1)]).flat();
    checkpoints
      .given(opened, ...many)
      .when(cosign(1, 'w1'))
      .thenNothing();
    checkpoints
      .given(opened, ...many)
      .when(cosign(2, 'w1'))
      .then(cosigned(2, 'w1'));
  });

  it('are remembered as the newest that a witness signed, however many follow', () => {
    const many = Array.from({ length: 50 }, (_, n) => [fixed(n + 4), signed(n + 4)]).flat();
    const both = [fixed(1), signed(1), cosigned(1, 'w1'), fixed(2), signed(2), cosigned(2, 'w1'), cosigned(2, 'w2')];
    const { state } = checkpoints.given(opened, ...both, fixed(3), signed(3), cosigned(3, 'w1'), ...many);
    expect(state.signed.map(({ size }) => size)).toEqual([2, 3, ...Array.from({ length: 32 }, (_, n) => n + 22)]);
    const { state: later } = checkpoints.given(opened, ...both, ...many, cosigned(40, 'w1'), fixed(60), signed(60));
    expect(later.signed[0]?.size).toBe(2);
  });
});
