// The manifests of deploy/kubernetes: as they are written, as kustomize puts them together, and as TypeScript, whose
// compiler then says which member does not exist or does not fit.

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
  readonly containers: readonly Container[]
}

export type Manifest = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: { readonly name: string }
  readonly data?: { readonly [name: string]: string }
  readonly spec: { readonly template: { readonly spec: Pod } }
}

const parseAll = (text: string): Manifest[] => parseAllDocuments(text).map((document) => document.toJS())

/** As they are written, but for what only kustomize reads. */
export function writtenManifests(): readonly Manifest[] {
  return repositoryPaths()
    .filter((path) => path.startsWith('deploy/kubernetes/') && !path.endsWith('/kustomization.yaml'))
    .flatMap((path) => parseAll(readFileSync(join(root, path), 'utf8')))
}

export const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0

/** It reads files and no cluster. */
export function renderOverlay(name: string): readonly Manifest[] {
  const folder = join(root, 'deploy/kubernetes/overlays', name)
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

/** What the compiler has to say of them. Those of the Prometheus operator have no types here. */
export function faultsOf(manifests: readonly Manifest[]): readonly string[] {
  const known = manifests.filter(({ apiVersion }) => !apiVersion.startsWith('monitoring.coreos.com/'))
  const lines = known.map((manifest, at) => {
    const type = `import('kubernetes-types/${modules[manifest.apiVersion] ?? manifest.apiVersion}').${manifest.kind}`
    return `export const ${manifest.metadata.name.replaceAll('-', '_')}_${at}: ${type} = ${JSON.stringify(manifest)}`
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
