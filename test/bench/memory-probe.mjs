// Preloaded into a process whose memory is measured (with --expose-gc): SIGUSR2 collects garbage and writes what is left to MEMORY_FILE.
import { renameSync, writeFileSync } from 'node:fs';

process.on('SIGUSR2', () => {
  global.gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  const file = process.env.MEMORY_FILE;
  writeFileSync(`${file}.new`, JSON.stringify({ live: heapUsed + external, resident: rss }));
  renameSync(`${file}.new`, file);
});
