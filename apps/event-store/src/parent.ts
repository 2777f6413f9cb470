const CHECK_EVERY_MS = 500;

/**
 * Calls back when the parent process is gone. The parent's id is compared with this process's current parent: when a parent dies, the
 * kernel gives its children to another one at once, whatever killed it and whether or not pipes stay open in some grandchild. Unlike a
 * check whether the id is alive, this cannot be deceived by a reused id.
 */
export function endWithParent(parentPid: string | undefined, onGone: () => void): void {
  if (!parentPid) return;
  const expected = Number(parentPid);
  const check = (): void => {
    if (process.ppid === expected) return;
    clearInterval(timer);
    onGone();
  };
  const timer = setInterval(check, CHECK_EVERY_MS);
  timer.unref();
  check();
}
