/**
 * Returns the CPU time that this process spends on `work`, in milliseconds. Unlike wall time it hardly depends on the
 * machine's other load.
 */
export function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
