import { whyNotMade } from './initdb-words';

it('says in one sentence what initdb could not do', () => {
  const output = [
    'running bootstrap script ... 2026-11-27 05:51:47.966 UTC [17151] FATAL:  could not extend file "base/1/2691": No space left on device',
    '2026-11-27 05:51:47.966 UTC [17151] HINT:  Check free disk space.',
    '2026-11-27 05:51:47.966 UTC [17151] PANIC:  cannot abort transaction 1, it was already committed',
  ].join('\n');
  expect(whyNotMade('/data', 134, output)).toBe(
    'no PostgreSQL can be made in /data: could not extend file "base/1/2691": No space left on device',
  );
});

it('shows all that was written where nothing of it says why', () => {
  expect(whyNotMade('/data', null, 'a\nb')).toBe(
    'no PostgreSQL can be made in /data: initdb ended with a signal:\na\nb',
  );
});
