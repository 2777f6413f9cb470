import { bundlePath } from '@app/transparency';
import { keptInFiles, type LogFiles } from './kept-log';

/** Files that hold nothing, and count how often they are asked. */
function emptyFiles(): LogFiles & { asked: string[] } {
  const asked: string[] = [];
  return { asked, read: async (path) => (asked.push(path), null) };
}

async function leavesOf(files: LogFiles, size: number, hasEntries: boolean): Promise<number> {
  let count = 0;
  for await (const _ of keptInFiles(files, size, hasEntries).leaves()) count += 1;
  return count;
}

describe('the leaves of a log in files', () => {
  it.each([true, false])(
    'end where the files do, however large the checkpoint says it is (entries: %s)',
    async (has) => {
      const files = emptyFiles();
      expect(await leavesOf(files, Number.MAX_SAFE_INTEGER, has)).toBe(0);
      expect(files.asked.length).toBeLessThan(100);
    },
  );

  it('go on after a few missing files', async () => {
    const entry = Buffer.from('{}');
    const bundle = Buffer.concat([Buffer.from([0, entry.length]), entry]);
    const files: LogFiles = { read: async (path) => (path === `tile/${bundlePath(30, 1)}` ? bundle : null) };
    expect(await leavesOf(files, 30 * 256 + 1, true)).toBe(1);
  });
});
