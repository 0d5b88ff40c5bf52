// Reads the manifests of deploy/kubernetes, renders them with kustomize, and checks them in two ways: with the
// TypeScript compiler, which reports unknown members, and with the JSON schemas of Kubernetes, KEDA and the
// Prometheus operator, which report missing members and invalid values.

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { repositoryPaths, root } from './repository.ts'

export type Container = {
  readonly args: readonly string[]
  readonly image: string
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[]
  readonly env?: readonly { readonly name: string; readonly valueFrom?: object; readonly value?: string }[]
  readonly securityContext: object
  readonly resources: { readonly requests: object; readonly limits: object }
  readonly startupProbe?: Probe
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
}
type Probe = { readonly httpGet: { readonly path: string; readonly port: string } }

export type Pod = {
  readonly terminationGracePeriodSeconds: number
  readonly automountServiceAccountToken: boolean
  readonly securityContext: object
  readonly topologySpreadConstraints?: readonly { readonly topologyKey: string }[]
  readonly containers: readonly Container[]
}

export type Manifest = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: { readonly name: string }
  readonly data?: { readonly [name: string]: string }
  readonly spec: {
    readonly selector?: { readonly matchLabels?: { readonly [label: string]: string } }
    readonly template: { readonly spec: Pod }
  }
}

const parseAll = (text: string): Manifest[] => parseAllDocuments(text).map((document) => document.toJS())

/** The manifests before kustomize, without its own configuration files. */
export function readManifests(): readonly Manifest[] {
  return repositoryPaths()
    .filter((path) => /^deploy\/kubernetes\/.*\.yaml$/.test(path) && !path.endsWith('/kustomization.yaml'))
    .flatMap((path) => parseAll(readFileSync(join(root, path), 'utf8')))
}

export const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0

/** Renders a folder of deploy/kubernetes with kustomize, without access to a cluster. */
export function renderFolder(name: string): readonly Manifest[] {
  const folder = join(root, 'deploy/kubernetes', name)
  const environment = { ...process.env, KUBECONFIG: '/dev/null' }
  return parseAll(execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8', env: environment }))
}

const modules: { readonly [apiVersion: string]: string } = {
  v1: 'core/v1',
  'apps/v1': 'apps/v1',
  'batch/v1': 'batch/v1',
  'policy/v1': 'policy/v1',
  'autoscaling/v2': 'autoscaling/v2',
  'networking.k8s.io/v1': 'networking/v1',
}

/** The errors of the compiler. Resources of operators are not checked, because there are no types. */
export function findViolations(manifests: readonly Manifest[]): readonly string[] {
  const typed = manifests.filter(({ apiVersion }) => apiVersion in modules)
  const lines = typed.map((manifest, index) => {
    const type = `import('kubernetes-types/${modules[manifest.apiVersion]}').${manifest.kind}`
    return `export const ${manifest.metadata.name.replaceAll('-', '_')}_${index}: ${type} = ${JSON.stringify(manifest)}`
  })
  const folder = mkdtempSync(join(root, 'node_modules/.manifests-'))
  writeFileSync(join(folder, 'manifests.ts'), `${lines.join('\n')}\n`)
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
    '--types',
    '',
  ]
  const compiler = join(root, 'node_modules/.bin/tsc')
  const { stdout } = spawnSync(compiler, [...options, '--ignoreConfig', join(folder, 'manifests.ts')], {
    encoding: 'utf8',
  })
  rmSync(folder, { recursive: true })
  return stdout.split('\n').filter((line) => line.trim() !== '')
}

/** The packages with the schemas of operators. The Postgres Operator has none. */
const operators: { readonly [group: string]: string | null } = {
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'acid.zalan.do': null,
}

type Schemas = { readonly [kind: string]: new (manifest: Manifest) => { validate(): void } }

/** The errors of the JSON schemas. */
export async function findSchemaViolations(manifests: readonly Manifest[]): Promise<readonly string[]> {
  const violations = manifests.map(async (manifest) => {
    const [group = ''] = manifest.apiVersion.split('/')
    const source = group in operators ? operators[group] : 'kubernetes-models'
    if (source === null) return []
    const { apiVersion, kind } = manifest
    const schemas: Schemas = await import(`${source}/${apiVersion}/${kind}`)
    const Schema = schemas[kind] as Schemas[string]
    try {
      new Schema(manifest).validate()
      return []
    } catch (error) {
      return [`${kind} ${manifest.metadata.name}: ${(error as Error).message}`]
    }
  })
  return (await Promise.all(violations)).flat()
}
