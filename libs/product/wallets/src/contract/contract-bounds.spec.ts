import { read } from '@app/schema';
import { bounds, contractOf, isRead, issuesOf, pathsOf, swap } from '../../test/contracts';
import { AutomationContractShape } from './contract.schema';

describe('bounds', () => {
  const bounded = { ...contractOf(swap), bounds };
  const refused = (path: string, changed: object) =>
    expect(pathsOf({ ...bounded, bounds: { ...bounds, ...changed } }, 'required')).toEqual([`/bounds${path}`]);

  it('are an automation’s only', () => {
    isRead(bounded, 'required');
    expect(issuesOf(bounded)).toEqual([{ path: '/bounds', message: 'is not known' }]);
    expect(issuesOf(contractOf(swap), 'required')).toEqual([{ path: '/bounds', message: 'is required' }]);
    expect(pathsOf({ ...bounded, bounds: null }, 'required')).toEqual(['/bounds']);
  });
  it('allow 1 to 1000 uses', () => {
    for (const maxUses of [1, 1000]) isRead({ ...bounded, bounds: { ...bounds, maxUses } }, 'required');
    for (const maxUses of [0, 1001, 1.5, '3', null]) refused('/maxUses', { maxUses });
  });
  it('allow 1 to 10 uses of one occurrence, and may leave it out', () => {
    for (const usesPerOccurrence of [1, 10])
      isRead({ ...bounded, bounds: { ...bounds, usesPerOccurrence } }, 'required');
    for (const usesPerOccurrence of [0, 11, 1.5, '3']) refused('/usesPerOccurrence', { usesPerOccurrence });
  });
  it('are spelled as quantities are', () => {
    for (const usd of ['0', '5.00', '-5', 5, '']) {
      refused('/perUseUsd', { perUseUsd: usd });
      refused('/totalUsd', { totalUsd: usd });
    }
    refused('/memo', { memo: 1 });
  });
  it.each([
    ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00:00.5Z', '2026-03-01T10:00:00.500Z'],
    ['2026-03-01T10:00:00.0009999-01:00', '2026-03-01T11:00:00.000Z'],
    ['0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z'],
  ])('end at %s', (notAfter, instant) => {
    const found = read(AutomationContractShape, { ...bounded, bounds: { ...bounds, notAfter } });
    expect(found.ok && found.value.bounds.notAfter).toBe(instant);
  });
  it.each([
    '',
    '2026-03-01',
    '2026-03-01T10:00:00',
    '2026-03-01T10:00:00+0100',
    '2026-02-30T10:00:00Z',
    '0000-01-01T00:00:00Z',
    '2026-03-01T10:00:00.0000000001Z',
    5,
    null,
  ])('do not end at %j', (notAfter) => refused('/notAfter', { notAfter }));
});
