import { minutes, policy, seconds } from '../../../test/automation-facts';
import { afterAccepted, afterVerdict, freshMemory, judge, limitReached } from './firing-policy';

const look = (minute: number, verdict: 'true' | 'false' | 'unknown' = 'true') => ({ forAt: minutes(minute), verdict });

describe('judge', () => {
  it('lets nothing come of what is not true', () => {
    expect(judge(policy, freshMemory, look(1, 'false'))).toBe('none');
    expect(judge(policy, freshMemory, look(1, 'unknown'))).toBe('none');
  });

  it('fires every match with trigger `match`', () => {
    expect(judge(policy, afterVerdict(freshMemory, 'true'), look(1))).toBe('fire');
  });

  it('fires with trigger `edge` after anything known but a match, and after nothing', () => {
    const edge = { ...policy, trigger: 'edge' } as const;
    const fires = (...verdicts: readonly ('true' | 'false' | 'unknown')[]) =>
      judge(edge, verdicts.reduce(afterVerdict, freshMemory), look(1));
    expect(fires()).toBe('fire');
    expect(fires('unknown')).toBe('fire');
    expect(fires('false')).toBe('fire');
    expect(fires('true', 'false', 'unknown')).toBe('fire');
    expect(fires('true')).toBe('none');
    expect(fires('false', 'true', 'unknown')).toBe('none');
  });

  it('fires one match with trigger `once`', () => {
    const once = { ...policy, trigger: 'once' } as const;
    expect(judge(once, afterVerdict(freshMemory, 'true'), look(1))).toBe('fire');
    expect(judge(once, afterAccepted(freshMemory, minutes(1)), look(2))).toBe('none');
  });

  it('cools down from the instant that the last accepted one was for, which excludes the end', () => {
    const cooling = { ...policy, cooldownSeconds: 90 };
    const memory = afterAccepted(freshMemory, minutes(1));
    expect(judge(cooling, memory, look(2))).toBe('cooldown');
    expect(judge(cooling, memory, { forAt: seconds(149), verdict: 'true' })).toBe('cooldown');
    expect(judge(cooling, memory, { forAt: seconds(150), verdict: 'true' })).toBe('fire');
  });

  it('loses nothing that came before the last accepted one and is looked at after it, unless it cools down', () => {
    const memory = afterAccepted(freshMemory, minutes(2));
    expect(judge(policy, memory, look(1))).toBe('fire');
    expect(afterAccepted(memory, minutes(1)).lastAcceptedFor).toBe(minutes(2));
    expect(judge({ ...policy, cooldownSeconds: 90 }, memory, look(1))).toBe('cooldown');
  });

  it('lets nothing fire beyond the number or the end, whatever the cooldown', () => {
    const limited = { ...policy, cooldownSeconds: 90, maxOccurrences: 1 };
    expect(judge(limited, freshMemory, look(1))).toBe('fire');
    expect(judge(limited, afterAccepted(freshMemory, minutes(1)), look(2))).toBe('limit');
    expect(judge(limited, afterAccepted(freshMemory, minutes(1)), look(2, 'false'))).toBe('none');
    const ending = { ...policy, endAt: minutes(2) };
    expect(judge(ending, freshMemory, { forAt: seconds(119), verdict: 'true' })).toBe('fire');
    expect(judge(ending, freshMemory, look(2))).toBe('limit');
  });
});

describe('limitReached', () => {
  it('says which', () => {
    expect(limitReached(policy, 1_000, minutes(1))).toBeNull();
    expect(limitReached({ ...policy, maxOccurrences: 2 }, 1, minutes(1))).toBeNull();
    expect(limitReached({ ...policy, maxOccurrences: 2 }, 2, minutes(1))).toBe('max_occurrences');
    expect(limitReached({ ...policy, endAt: minutes(1) }, 0, minutes(1))).toBe('end_at');
  });
});

describe('what is remembered', () => {
  it('is the last known verdict: what is unknown changes nothing', () => {
    expect(afterVerdict(freshMemory, 'true').lastKnown).toBe(true);
    expect(afterVerdict({ lastKnown: true }, 'unknown').lastKnown).toBe(true);
    expect(afterVerdict({ lastKnown: true }, 'false').lastKnown).toBe(false);
  });

  it('counts what was accepted', () => {
    const twice = afterAccepted(afterAccepted(freshMemory, minutes(1)), minutes(2));
    expect(twice).toStrictEqual({ lastKnown: null, lastAcceptedFor: minutes(2), accepted: 2, taken: true });
  });
});
