import { initialState } from '../../../src/domain/flag/flag.ts';
import type { Role } from '../../../src/domain/member/member.ts';
import { PreparedStore } from '../../console/prepared-store.ts';
import { creationOf, flagChangeOf, flagOf, projectOf } from '../../storage/support/records.ts';
import type { ConsoleStage, ConsoleWindow } from './console-stage.ts';

/** A project with many flags and environments, of which number 7 is `production`, and protected. */
export class LongList {
  readonly store = new PreparedStore();
  readonly projectId: string;
  readonly path: string;
  readonly #secrets = new Map<Role, string>();

  constructor(flagCount: number, environmentCount: number) {
    const environments = Array.from({ length: environmentCount }, (_, index) => {
      const number = index + 1;
      const isLive = number === 7;
      return { number, name: isLive ? 'production' : `region-${number}`, isProtected: isLive };
    });
    const { organisation } = this.store;
    const project = projectOf(organisation.id, {
      ...{ name: 'long', isMultiEnvironment: true, environments },
      nextEnvironmentNumber: environmentCount + 1,
    });
    const flags = Array.from({ length: flagCount }, (_, index) =>
      flagOf(project.id, {
        name: `flag-${String(index).padStart(5, '0')}`,
        description: index % 3 === 0 ? 'Rounds prices in the basket' : '',
        tags: index % 100 === 0 ? ['round'] : [],
        states: new Map(
          environments.map(({ number }) => [
            number,
            {
              ...initialState,
              enabled: (index + number) % 5 === 0,
              trafficPercentage: index % 7 === 0 ? 0 : 50,
            },
          ]),
        ),
        updatedAt: index + 1,
      }),
    );
    this.store.add([creationOf('project', project), ...flags.map((flag) => flagChangeOf(null, flag))]);
    for (const role of ['admin', 'editor', 'viewer'] as const) {
      this.#secrets.set(role, this.store.addSession(this.store.addMember(role)));
    }
    this.projectId = project.id;
    this.path = `/console/projects/${project.id}/flags`;
  }

  readonly prepare = async (dataDir: string): Promise<void> => this.store.write(dataDir);

  /** Opens the list in the browser of a member with this role. */
  async open(window: ConsoleWindow, { origin }: ConsoleStage, role: Role, search = ''): Promise<void> {
    const value = this.#secrets.get(role) ?? '';
    await window.page.context().addCookies([{ name: 'burgee_session', value, url: origin }]);
    await window.open(`${this.path}${search}`);
  }
}
