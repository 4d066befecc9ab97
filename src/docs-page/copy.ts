const shownMs = 2000;

/** Of a session its commands, without prompts and answers. */
function textOf(code: Element): string {
  const commands = Array.from(code.querySelectorAll('.command'), ({ textContent }) => `${textContent}\n`);
  return commands.join('') || (code.textContent ?? '');
}

/** Not by `navigator.clipboard`, which pages that came over plain HTTP do not have. */
function copy(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  return isCopied;
}

/** Copies the block of code whose button is pressed. */
export function startCopying(): void {
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof HTMLButtonElement) || !target.matches('.copy')) return;
    const code = target.parentElement?.querySelector('code');
    target.textContent = code && copy(textOf(code)) ? 'Copied' : 'Not copied';
    target.focus();
    setTimeout(() => {
      target.textContent = 'Copy';
    }, shownMs);
  });
}
