import { Menu } from '@mantine/core';
import Rows3 from 'lucide-react/icons/rows-3';
import Rows4 from 'lucide-react/icons/rows-4';
import { useLayoutEffect } from 'react';
import { usePreference, usePreferenceStore } from './use-preferences.ts';

/** The height of rows in every list, on the document: style sheets read it there. */
export function useDensity(): void {
  const density = usePreference((present) => present.density);
  useLayoutEffect(() => {
    document.documentElement.dataset['density'] = density;
  }, [density]);
}

/** A menu's item that changes the height of rows. */
export function DensityItem() {
  const store = usePreferenceStore();
  const isCompact = usePreference((present) => present.density === 'compact');
  return (
    <Menu.Item
      closeMenuOnClick={false}
      leftSection={isCompact ? <Rows4 aria-hidden="true" /> : <Rows3 aria-hidden="true" />}
      onClick={() => store.change({ density: isCompact ? 'comfortable' : 'compact' })}
    >
      Rows: {isCompact ? 'compact' : 'comfortable'}
    </Menu.Item>
  );
}
