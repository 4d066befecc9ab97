/** What a person does shows in what is read right after it: a page may have to be loaded first. */
const presentMs = 10_000;

/** Moving the pointer is not among them: a table may be shaken. */
const actions = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const;

let actedAt = performance.now();

/** From now on the page knows when a person has acted in its window. That it was opened is the first act. */
export function watchAttendance(window: EventTarget): void {
  const note = ({ isTrusted }: Event) => {
    if (isTrusted) actedAt = performance.now();
  };
  for (const action of actions) window.addEventListener(action, note, { capture: true, passive: true });
}

/** Whether somebody acted just now. What is read otherwise is read by the page alone, and is no use of the session. */
export function isSomebodyThere(): boolean {
  return performance.now() - actedAt < presentMs;
}
