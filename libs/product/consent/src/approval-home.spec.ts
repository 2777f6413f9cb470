import { ApprovalHomes, type ApprovalHome } from './approval-home';

const homeOf = (category: string): ApprovalHome => ({
  category,
  decide: () => Promise.reject(new Error('not asked for')),
  expire: () => Promise.reject(new Error('not asked for')),
});

describe('ApprovalHomes', () => {
  const [operations, automations] = [homeOf('operation'), homeOf('automation')];
  const homes = new ApprovalHomes([operations, automations]);

  it('finds a home by the category of its streams', () => {
    expect(homes.of('operation-0190c3c2-0000')).toEqual({ home: operations, streamId: '0190c3c2-0000' });
    expect(homes.of('automation-a')).toEqual({ home: automations, streamId: 'a' });
  });

  it.each(['wallet-a', 'operation', ''])('has none for "%s"', (stream) => {
    expect(() => homes.of(stream)).toThrow('no approval can be in');
  });
});
