import FileClock from 'lucide-react/icons/file-clock';
import Flag from 'lucide-react/icons/flag';
import Folders from 'lucide-react/icons/folders';
import History from 'lucide-react/icons/history';
import KeyRound from 'lucide-react/icons/key-round';
import Layers from 'lucide-react/icons/layers';
import Plug from 'lucide-react/icons/plug';
import Server from 'lucide-react/icons/server';
import Settings from 'lucide-react/icons/settings';
import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal';
import Target from 'lucide-react/icons/target';
import UsersRound from 'lucide-react/icons/users-round';

/** By the titles of pages. */
const icons = {
  Flags: Flag,
  Audiences: Target,
  Tokens: KeyRound,
  Clients: Plug,
  Environments: Layers,
  'Audit log': History,
  'Project settings': SlidersHorizontal,
  Members: UsersRound,
  Projects: Folders,
  'Organisation log': FileClock,
  Settings,
  Nodes: Server,
};

/** The icon of a page, wherever a link leads to it. */
export function PageIcon({ title }: { readonly title: keyof typeof icons }) {
  const Icon = icons[title];
  return <Icon aria-hidden="true" />;
}
