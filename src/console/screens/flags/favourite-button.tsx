import Star from 'lucide-react/icons/star';
import type { ListedFlag } from '../../client/flag-list.ts';
import { visibleName } from '../../parts/visible-name.ts';
import classes from './flags.module.css';

interface FavouriteButtonProps {
  readonly flag: ListedFlag;
  readonly isFavourite: boolean;
  readonly tabIndex?: number;
  readonly onFavourite: (flagId: string, isFavourite: boolean) => void;
}

/** Favourites are the member's own, and first in the list. */
export function FavouriteButton({ flag, isFavourite, tabIndex = 0, onFavourite }: FavouriteButtonProps) {
  return (
    <button
      type="button"
      className={classes.star}
      aria-pressed={isFavourite}
      aria-label={`Favourite: ${visibleName(flag.name)}`}
      title={isFavourite ? 'Remove from favourites' : 'Add to favourites'}
      tabIndex={tabIndex}
      onClick={() => onFavourite(flag.id, !isFavourite)}
    >
      <Star aria-hidden="true" />
    </button>
  );
}
