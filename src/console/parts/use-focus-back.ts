import { useEffect, useState } from 'react';
import { contentId } from './content-id.ts';

/**
 * Gives the focus back to what had it before, when what asks is gone: Mantine does so only for a dialog that was closed
 * first. When that is gone, too, what the keyboard does next begins at the page's content, not above its navigation.
 */
export function useFocusBack(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(() => {
    return () => {
      const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body;
      if (isThere) before.focus({ preventScroll: true });
      else if (document.activeElement === document.body) {
        document.getElementById(contentId)?.focus({ preventScroll: true });
      }
    };
  }, [before]);
}
