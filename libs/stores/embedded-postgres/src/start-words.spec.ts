import { DataFolderUnusable } from './data-folder';
import { whyNotStarted } from './start-words';

const log = (line: string) => [
  '2026-11-27 09:56:45.356 UTC [21949] LOG:  redo starts at 0/1B8A2D8',
  `2026-11-27 09:56:45.380 UTC [21949] ${line}`,
  '2026-11-27 09:56:45.382 UTC [21946] LOG:  startup process (PID 21949) exited with exit code 1',
];

it.each([
  [
    'FATAL:  could not write to file "pg_wal/xlogtemp.21949": No space left on device',
    'PostgreSQL cannot start in /data (could not write to file "pg_wal/xlogtemp.21949": No space left on device): make room on its disk, and start again',
  ],
  // A file that cannot be opened for this reason is not damaged, and a backup would not help.
  [
    'FATAL:  could not open file "base/1/2691": Too many open files in system',
    'PostgreSQL cannot start in /data (could not open file "base/1/2691": Too many open files in system): repair that, and start again',
  ],
  [
    'PANIC:  could not locate a valid checkpoint record at 0/1B8A2D8',
    '/data is damaged (PostgreSQL says could not locate a valid checkpoint record at 0/1B8A2D8): put the folder back from a backup, or choose another data folder',
  ],
])('says in one sentence %s', (line, sentence) => {
  const why = whyNotStarted('/data', log(line), 'exit code 1');
  expect(why).toBeInstanceOf(DataFolderUnusable);
  expect(why.message).toBe(sentence);
});

it('shows the last lines where none of them says why', () => {
  const lines = log('FATAL:  invalid value for parameter "max_connections": "x"');
  expect(whyNotStarted('/data', lines, 'exit code 1').message).toBe(
    `PostgreSQL did not start (exit code 1). Its last words:\n${lines.join('\n')}`,
  );
});
