import type { KeyErasure } from '@app/read-store';
import { KeyTableCleaning } from './key-table-cleaning';

/** Tries that are settled by the test. */
function tries() {
  const begun: { resolve: (how: 'rewritten' | null) => void; reject: (error: Error) => void }[] = [];
  const clean = () =>
    new Promise<'rewritten' | null>((resolve, reject) => {
      begun.push({ resolve, reject });
    });
  // Reason for the assertion: nothing else of it is called.
  return { begun, cleaning: new KeyTableCleaning({ clean } as unknown as KeyErasure) };
}
const turn = () => new Promise(setImmediate);

afterEach(() => jest.restoreAllMocks());

it('begins one rewrite for all who ask while another is going on', async () => {
  const { begun, cleaning } = tries();
  const first = cleaning.clean();
  await turn();
  const later = [cleaning.clean(), cleaning.clean(), cleaning.clean()];
  await turn();
  expect(begun).toHaveLength(1);
  begun[0]?.resolve('rewritten');
  await turn();
  expect(begun).toHaveLength(2);
  begun[1]?.resolve('rewritten');
  expect(await Promise.all([first, ...later])).toEqual(['rewritten', 'rewritten', 'rewritten', 'rewritten']);
  expect(begun).toHaveLength(2);
});

it('leaves the table alone for a while after a try that failed', async () => {
  const { begun, cleaning } = tries();
  const nowMs = jest.spyOn(performance, 'now').mockReturnValue(1_000);
  const first = cleaning.clean();
  await turn();
  begun[0]?.resolve(null);
  expect(await first).toBeNull();
  nowMs.mockReturnValue(5_999);
  expect([await cleaning.clean(), begun.length]).toEqual([null, 1]);
  nowMs.mockReturnValue(6_000);
  void cleaning.clean();
  await turn();
  expect(begun).toHaveLength(2);
});

it('goes on after a try that PostgreSQL did not answer', async () => {
  const { begun, cleaning } = tries();
  const first = cleaning.clean();
  const failure = expect(first).rejects.toThrow('away');
  await turn();
  begun[0]?.reject(new Error('away'));
  await failure;
  const second = cleaning.clean();
  await turn();
  begun[1]?.resolve('rewritten');
  expect(await second).toBe('rewritten');
});
