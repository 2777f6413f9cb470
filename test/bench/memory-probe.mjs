// Preloaded into a process whose memory is measured (with --expose-gc): on SIGUSR2 it collects garbage and writes the
// memory in use to MEMORY_FILE.
import { renameSync, writeFileSync } from 'node:fs';

process.on('SIGUSR2', () => {
  global.gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  const file = process.env.MEMORY_FILE;
  writeFileSync(`${file}.new`, JSON.stringify({ live: heapUsed + external, resident: rss }));
  renameSync(`${file}.new`, file);
});
