import type { MadeLink } from '../../../contracts/console/member-views.ts';

export interface ShownLink {
  readonly title: string;
  readonly link: MadeLink;
}
