/**
 * Ends this process in order on SIGTERM and Ctrl-C, and when its standard input closes, which happens when its parent
 * ends, even if the parent is killed.
 *
 * @param {() => Promise<void> | void} stop cleans up; called once
 */
export function endWithParent(stop) {
  let isEnding = false;
  const end = async () => {
    if (isEnding) return;
    isEnding = true;
    try {
      await stop();
      process.exit(0);
    } catch (fault) {
      console.error(fault);
      process.exit(1);
    }
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  process.stdin.on('close', end).on('error', end).resume();
}

/**
 * Prints one line of JSON that says that this process is ready.
 *
 * @param {Record<string, unknown>} facts such as the `port` that the process listens on
 */
export function announce(facts) {
  process.stdout.write(`${JSON.stringify(facts)}\n`);
}
