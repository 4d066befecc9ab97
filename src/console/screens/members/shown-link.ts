import type { MadeLink } from '../../../contracts/console/console-views.ts';

export interface ShownLink {
  readonly title: string;
  readonly link: MadeLink;
}
