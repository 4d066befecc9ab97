import { answerOf, made } from './answer.ts';
import { curlOf, requestOf } from './request.ts';

/* Runs on /docs/openapi: sends what a form describes, and shows the answer below it. */

/** The service's address: the page is at `docs/openapi` below it, under any prefix of a proxy. */
const base = new URL('../', location.href);
const timeoutMs = 30_000;

const tokenField = document.querySelector<HTMLInputElement>('#token');

function describe(form: HTMLFormElement) {
  return requestOf(form, base, tokenField?.value.trim() ?? '');
}

async function send(form: HTMLFormElement): Promise<readonly HTMLElement[]> {
  const { method, url, headers, body } = describe(form);
  const startedAt = performance.now();
  try {
    const response = await fetch(url, {
      ...{ method, headers, body, credentials: 'omit', cache: 'no-store', redirect: 'error' },
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    return answerOf(response, text, performance.now() - startedAt);
  } catch (fault) {
    const isLate = fault instanceof DOMException && fault.name === 'TimeoutError';
    const words = isLate
      ? `No answer within ${timeoutMs / 1000} seconds.`
      : `The request could not be sent: ${String(fault)}`;
    const line = made('p', words, 'status');
    line.dataset['ok'] = 'false';
    return [line];
  }
}

function start(form: HTMLFormElement): void {
  const curl = form.querySelector('.language-curl');
  const answer = form.querySelector('.answer');
  const button = form.querySelector<HTMLButtonElement>('[type=submit]');
  if (curl === null) return;
  const show = (): void => {
    curl.textContent = curlOf(describe(form));
  };
  form.addEventListener('input', show);
  tokenField?.addEventListener('input', show);
  show();
  // A stream of events is shown as a command only.
  if (answer === null || button === null) return;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (button.getAttribute('aria-disabled') === 'true') return;
    // Not `disabled`, which would move the keyboard focus away.
    button.setAttribute('aria-disabled', 'true');
    void send(form).then((shown) => {
      answer.replaceChildren(...shown);
      button.removeAttribute('aria-disabled');
    });
  });
}

for (const form of document.querySelectorAll<HTMLFormElement>('form.request')) start(form);
for (const element of document.querySelectorAll<HTMLElement>('.live')) element.hidden = false;
// The browser may keep the page with its fields, and show it again on "back".
addEventListener('pagehide', () => {
  if (tokenField !== null) tokenField.value = '';
});
