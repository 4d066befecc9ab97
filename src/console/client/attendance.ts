/** A request this soon after an action counts as caused by it: a page may have to be loaded first. */
const presentMs = 10_000;

/** Pointer movement is not among them: a shaking table moves a mouse. */
const actions = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const;

let actedAt = performance.now();

/** From now on the page notes when the member acts in its window. Opening the page is the first action. */
export function watchAttendance(window: EventTarget): void {
  const note = ({ isTrusted }: Event) => {
    if (isTrusted) actedAt = performance.now();
  };
  for (const action of actions) window.addEventListener(action, note, { capture: true, passive: true });
}

/** Whether the member acted just now. Other requests are made by the page itself, and do not prolong the session. */
export function isAttended(): boolean {
  return performance.now() - actedAt < presentMs;
}
