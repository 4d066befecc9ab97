import { useEffect, useState } from 'react';

/** For how long the outcome of a copy is shown, in milliseconds. */
const saidForMs = 2_000;

interface Copy {
  copy(text: string): void;
  readonly state: 'idle' | 'copied' | 'failed';
}

/**
 * Copies texts. A page that came over plain HTTP, as of a service on one's own network, is given no clipboard: there the text
 * is selected for a moment, and copied as a selection is.
 */
export function useCopy(): Copy {
  const [said, say] = useState<{ readonly isCopied: boolean } | null>(null);
  useEffect(() => {
    if (said === null) return;
    const timer = setTimeout(() => say(null), saidForMs);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = (text: string): void => {
    if (!('clipboard' in navigator)) say({ isCopied: copySelected(text) });
    else
      navigator.clipboard.writeText(text).then(
        () => say({ isCopied: true }),
        () => say({ isCopied: false }),
      );
  };
  if (said === null) return { copy, state: 'idle' };
  return { copy, state: said.isCopied ? 'copied' : 'failed' };
}

/** @returns whether the browser has copied it, which it does in the course of a click alone */
function copySelected(text: string): boolean {
  const element = document.createElement('span');
  element.textContent = text;
  Object.assign(element.style, { position: 'fixed', opacity: '0', whiteSpace: 'pre', userSelect: 'text' });
  document.body.append(element);
  const selection = document.getSelection();
  selection?.selectAllChildren(element);
  const isCopied = document.execCommand('copy');
  selection?.removeAllRanges();
  element.remove();
  return isCopied;
}
