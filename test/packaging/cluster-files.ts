import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { repositoryRoot } from '../support/repository-root.ts';

/** A service of deploy/compose.cluster.yaml, as far as the tests look. */
export interface ComposeService {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly secrets?: readonly string[];
  readonly hostname?: string;
  readonly tmpfs?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly stop_grace_period?: string;
  readonly ulimits?: Readonly<Record<string, number>>;
}

export interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: {
    readonly default: { readonly ipam: { readonly config: readonly { readonly subnet: string }[] } };
  };
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: string };
  readonly tcpSocket?: { readonly port: string };
  readonly periodSeconds: number;
  readonly failureThreshold?: number;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } };
  }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

type Labels = Readonly<Record<string, string>>;

/** An object of deploy/kubernetes, as far as the tests look. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly replicas?: number;
    readonly serviceName?: string;
    readonly clusterIP?: string;
    readonly publishNotReadyAddresses?: boolean;
    readonly maxUnavailable?: number;
    readonly ports?: readonly {
      readonly name: string;
      readonly port: number;
      readonly targetPort?: string;
    }[];
    /** Of a Service the labels themselves, of the others below `matchLabels`. */
    readonly selector?: Labels & { readonly matchLabels?: Labels };
    readonly template?: {
      readonly metadata?: { readonly labels: Labels };
      readonly spec: {
        readonly enableServiceLinks?: boolean;
        readonly terminationGracePeriodSeconds?: number;
        readonly securityContext?: Readonly<Record<string, unknown>>;
        readonly containers: readonly Container[];
        readonly initContainers?: readonly Container[];
        readonly volumes?: readonly { readonly name: string; readonly emptyDir?: object }[];
      };
    };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
  };
}

const read = (path: string): string => readFileSync(join(repositoryRoot(), path), 'utf8');

export function readCompose(name = 'compose.cluster.yaml'): Compose {
  return parse(read(`deploy/${name}`), { merge: true }) as Compose;
}

/** @throws when a document is not YAML */
export function readManifests(...files: readonly string[]): readonly Manifest[] {
  return files.flatMap((file) =>
    parseAllDocuments(read(`deploy/kubernetes/${file}`), { strict: true }).map((one) => {
      if (one.errors.length > 0) throw one.errors[0];
      return one.toJS() as Manifest;
    }),
  );
}
