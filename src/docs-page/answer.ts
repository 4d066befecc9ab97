/** Maximum characters of a body that are shown. A project's list may have megabytes. */
const shownMax = 50_000;

/** @returns an element with this text */
export function made(name: string, text: string, className = ''): HTMLElement {
  const element = document.createElement(name);
  element.textContent = text;
  if (className !== '') element.className = className;
  return element;
}

function scrolling(text: string, label: string): HTMLElement {
  const block = made('pre', '');
  block.tabIndex = 0;
  block.setAttribute('aria-label', label);
  block.append(made('code', text));
  return block;
}

/** Indents JSON; returns other text unchanged. */
function laidOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function bodyOf(text: string): readonly HTMLElement[] {
  if (text === '') return [made('p', 'No body.', 'about')];
  const whole = laidOut(text);
  const shown = scrolling(whole.slice(0, shownMax), 'Body of the answer');
  if (whole.length <= shownMax) return [shown];
  const more = `Cut here: ${(whole.length - shownMax).toLocaleString()} more characters.`;
  return [shown, made('p', more, 'about')];
}

function headersOf(response: Response): HTMLElement {
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  const details = document.createElement('details');
  details.append(
    made('summary', `${lines.length} headers`),
    scrolling(lines.join('\n'), 'Headers of the answer'),
  );
  return details;
}

/** @param tookMs from sending the request until its body had arrived */
export function answerOf(response: Response, text: string, tookMs: number): readonly HTMLElement[] {
  const line = made('p', '', 'status');
  line.dataset['ok'] = String(response.status < 400);
  line.append(made('strong', `${response.status} ${response.statusText}`.trim()));
  line.append(` in ${tookMs < 10 ? tookMs.toFixed(1) : Math.round(tookMs)} ms`);
  return [line, ...bodyOf(text), headersOf(response)];
}
