import { readdirSync, readFileSync } from 'node:fs';

/** Returns the processes that a process started and that still exist. Linux only. */
export function childrenOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    (textOf(`/proc/${pid}/task/${thread}/children`) ?? '').split(' ').filter(Boolean).map(Number),
  );
}

/** Returns the peak memory of a process, in bytes; 0 for one that has ended. Linux only. */
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
