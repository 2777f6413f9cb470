import { readdirSync, readFileSync } from 'node:fs';

/** The processes that a process started and that are there still. Linux only. */
export function childrenOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    (textOf(`/proc/${pid}/task/${thread}/children`) ?? '').split(' ').filter(Boolean).map(Number),
  );
}

/** The most that a process ever held in memory, in bytes; 0 for one that has ended. Linux only. */
export function peakBytesOf(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(textOf(`/proc/${pid}/status`) ?? '') ?? [];
  return Number(kilobytes ?? 0) * 1024;
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null; // it has ended
  }
}
