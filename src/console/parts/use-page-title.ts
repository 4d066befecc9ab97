import { useEffect } from 'react';

/** What the window is called while the page is shown. @param title null leaves it as it is */
export function usePageTitle(title: string | null): void {
  useEffect(() => {
    if (title !== null) document.title = `${title} · Burgee`;
  }, [title]);
}
