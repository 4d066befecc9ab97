import { useEffect, useState } from 'react';

/** Gives the focus back to what had it before, when what asks is gone: Mantine does so only for a dialog that was closed first. */
export function useFocusBack(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(() => {
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, [before]);
}
