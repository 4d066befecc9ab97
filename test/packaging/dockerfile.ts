/** One instruction of a Dockerfile. */
export interface Instruction {
  /** The instruction's name, in capitals. */
  readonly name: string;
  /** Its arguments, on one line. */
  readonly rest: string;
}

/** The stage of one FROM. */
export interface Stage {
  readonly name: string;
  readonly image: string;
  readonly instructions: readonly Instruction[];
}

/** The sources of a COPY, and their stage; null is the build context. */
export interface Copy {
  readonly from: string | null;
  readonly sources: readonly string[];
  readonly target: string;
}

/** Reads the syntax that our Dockerfile uses. @throws on a stage without a name */
export function parseDockerfile(text: string): readonly Stage[] {
  const lines = text.replace(/^\s*#.*\n/gm, '').replace(/\\\n\s*/g, '');
  const stages: { name: string; image: string; instructions: Instruction[] }[] = [];
  for (const line of lines.split('\n').filter((each) => each.trim() !== '')) {
    const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line.trim()) ?? [];
    if (name.toUpperCase() !== 'FROM') {
      stages.at(-1)?.instructions.push({ name: name.toUpperCase(), rest });
      continue;
    }
    const [, image, stage] = /^(\S+) AS (\w+)$/i.exec(rest) ?? [];
    if (image === undefined || stage === undefined) throw new Error(`a stage without a name: ${line}`);
    stages.push({ name: stage, image, instructions: [] });
  }
  return stages;
}

export function stageOf(stages: readonly Stage[], name: string): Stage {
  const found = stages.find((stage) => stage.name === name);
  if (found === undefined) throw new Error(`no stage is called ${name}`);
  return found;
}

/** @returns the arguments of each instruction with a name */
export function findAll(stage: Stage, name: string): readonly string[] {
  return stage.instructions.filter((each) => each.name === name).map(({ rest }) => rest);
}

/** @returns the words of an instruction in exec form, after its options; null when it is in shell form. */
export function execForm(rest: string): readonly string[] | null {
  const list = /\[.*\]$/.exec(rest)?.[0];
  return list === undefined ? null : (JSON.parse(list) as string[]);
}

export function copiesOf(stage: Stage): readonly Copy[] {
  return findAll(stage, 'COPY').map((rest) => {
    const words = rest.split(/\s+/);
    const from = words[0]?.startsWith('--from=') ? (words.shift() ?? '').slice('--from='.length) : null;
    return { from, sources: words.slice(0, -1), target: words.at(-1) ?? '' };
  });
}
