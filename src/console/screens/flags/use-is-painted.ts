import { startTransition, useEffect, useState } from 'react';

/** Whether the list was shown once. Rows and columns out of view come after those that somebody waits for. */
export function useIsPainted(): boolean {
  const [isPainted, setPainted] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => startTransition(() => setPainted(true)));
    return () => clearTimeout(timer);
  }, []);
  return isPainted;
}
