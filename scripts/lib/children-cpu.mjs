import { readFileSync } from 'node:fs';

/** Linux reports times in hundredths of a second to every program, whatever its own clock. */
const ticksPerSecond = 100;

/**
 * The CPU time of this process' ended children, and of those that they waited for: user and system together.
 * @returns seconds; null where the system does not report it
 */
function endedChildrenSeconds() {
  try {
    const text = readFileSync('/proc/self/stat', 'latin1');
    // The second field is the program's name, which may contain spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
  } catch {
    return null;
  }
}

/**
 * Divides the CPU time of ended children among them: call it when one has ended. Two that end in the same iteration of
 * the event loop are counted as one.
 * @returns seconds since the last call; null where the system does not report it
 */
export function createCpuMeter() {
  let before = endedChildrenSeconds();
  return () => {
    const now = endedChildrenSeconds();
    const spent = now === null || before === null ? null : now - before;
    before = now;
    return spent;
  };
}
