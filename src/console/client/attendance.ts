/** A request this soon after an action counts as caused by it: a page may have to be loaded first. */
const presentMs = 10_000;

/** Moving the pointer is not among them: the table that the mouse lies on may shake. */
const actions = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const;

let actedAt = performance.now();

/** From now on the page knows when a person has acted in its window. That it was opened is the first act. */
export function watchAttendance(window: EventTarget): void {
  const note = ({ isTrusted }: Event) => {
    if (isTrusted) actedAt = performance.now();
  };
  for (const action of actions) window.addEventListener(action, note, { capture: true, passive: true });
}

/** Whether a person acted just now. Other requests are the page's own, and do not prolong the session. */
export function isSomebodyThere(): boolean {
  return performance.now() - actedAt < presentMs;
}
