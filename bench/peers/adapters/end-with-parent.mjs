/**
 * Ends this process in order when it is told to (SIGTERM, Ctrl+C), and when its standard input closes: that happens
 * when whoever started it has gone, however it went.
 *
 * @param {() => Promise<void> | void} stop what has to be undone; called once
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
 * Says on standard output, as one line of JSON, that this process can be used.
 *
 * @param {Record<string, unknown>} facts such as the `port` that it listens on
 */
export function announce(facts) {
  process.stdout.write(`${JSON.stringify(facts)}\n`);
}
