import { useSession } from '../shell/use-session.ts';
import {
  initialProjectPreferences,
  PreferenceStore,
  type Preferences,
  type ProjectPreferences,
} from './preferences.ts';
import { useSharedValue } from './shared-value.ts';

/** That of the member who used this page last. */
let opened: PreferenceStore | null = null;

function storeOf(memberId: string): PreferenceStore {
  if (opened?.memberId === memberId) return opened;
  if (opened === null) {
    window.addEventListener('storage', ({ key }) => {
      if (key === opened?.key) opened.readAgain();
    });
  }
  opened = new PreferenceStore(memberId, () => window.localStorage);
  return opened;
}

/** The signed-in member's store of preferences, for changing them. */
export function usePreferenceStore(): PreferenceStore {
  return storeOf(useSession().member.id);
}

/** @param see the part that is shown: the component is rendered again when it has changed */
export function usePreference<Seen>(see: (present: Preferences) => Seen): Seen {
  return useSharedValue(usePreferenceStore(), see);
}

export function useProjectPreferences(projectId: string): ProjectPreferences {
  return usePreference(({ projects }) => projects.get(projectId) ?? initialProjectPreferences);
}
