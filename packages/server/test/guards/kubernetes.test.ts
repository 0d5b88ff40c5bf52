// The manifests are valid and match the code: settings, ports, probes, commands and the termination grace period. No
// pod has more privileges than it needs, and all pods can be moved to other machines one by one.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { findNatsServer } from '../../../../scripts/services/nats-binary.ts'
import { readConfig } from '../../src/config.ts'
import { createOps } from '../../src/platform/http/ops.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { testMasterKeys } from '../support/master-keys.ts'
import {
  type Container,
  findSchemaViolations,
  findViolations,
  hasKubectl,
  type Manifest,
  readManifests,
  renderFolder,
} from './support/manifests.ts'
import { root } from './support/repository.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const manifests = readManifests()
const workloads = manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
const statefulSets = manifests.filter(({ kind }) => kind === 'StatefulSet')
const pods = workloads.map(({ metadata, spec }) => ({ name: metadata.name, pod: spec.template.spec }))
const containers = pods.flatMap(({ name, pod }) => pod.containers.map((container) => ({ name, container })))
const settings = Object.fromEntries<string>(
  parse(read('deploy/kubernetes/base/kustomization.yaml')).configMapGenerator[0].literals.map(
    (line: string) => line.split(/=(.*)/s).slice(0, 2),
  ),
)
const secrets = { DATABASE_URL: 'postgres://a:b@db:5432/switchyard', MASTER_KEYS: testMasterKeys }

/** The names of all settings that readConfig reads. */
function listReadSettings(): ReadonlySet<string> {
  const readSettings = new Set<string>()
  const values: { readonly [name: string]: string } = { ...secrets, SMTP_URL: 'smtp://a', MAIL_FROM: 'a@b' }
  readConfig(
    new Proxy(values, {
      get(environment, name) {
        readSettings.add(String(name))
        return environment[String(name)]
      },
    }),
  )
  return readSettings
}

const ops = createOps(createMetrics(), async () => ({ ready: true, notes: [] }))
afterAll(() => ops.close())

test('no manifest has an unknown member', () => {
  expect(manifests.length).toBeGreaterThan(25)
  expect(findViolations(manifests)).toEqual([])
})

test('every manifest is valid according to the schemas of Kubernetes', async () => {
  expect(await findSchemaViolations(manifests)).toEqual([])
})

test('an invalid quantity, an unknown enum value and a missing member are detected by the schemas', async () => {
  const [workload] = workloads as [Manifest]
  const [container] = workload.spec.template.spec.containers as [Container]
  const withPod = (members: object) => {
    const spec = { ...workload.spec.template.spec, ...members }
    return { ...workload, spec: { ...workload.spec, template: { ...workload.spec.template, spec } } }
  }
  const resources = { requests: { cpu: 'lots' }, limits: {} }
  const constraint = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'Maybe' }
  const scaledObject = manifests.find(({ kind }) => kind === 'ScaledObject') as Manifest

  const violations = await findSchemaViolations([
    withPod({ containers: [{ ...container, resources }] }),
    withPod({ topologySpreadConstraints: [constraint] }),
    { ...workload, spec: { ...workload.spec, selector: undefined } } as unknown as Manifest,
    { ...scaledObject, spec: { template: workload.spec.template } },
  ])

  expect(violations).toHaveLength(4)
  expect(violations[0]).toContain('cpu')
  expect(violations[1]).toContain('whenUnsatisfiable')
  expect(violations[2]).toContain('selector')
  expect(violations[3]).toContain('scaleTargetRef')
})

test('an unknown member and a member with the wrong type are detected', () => {
  const [workload] = workloads
  const withMember = (member: object) => ({ ...workload, spec: { ...workload?.spec, ...member } }) as Manifest

  const violations = findViolations([withMember({ replicass: 3 }), withMember({ minReadySeconds: 'ten' })])

  expect(violations).toHaveLength(2)
  expect(violations[0]).toContain('replicass')
})

test('every setting in a manifest exists, and the settings of the base are accepted', () => {
  const readSettings = listReadSettings()
  const compose = parse(read('compose.yaml'))['x-switchyard'].environment
  const image = [...read('Dockerfile').matchAll(/^(?:ENV| {3}) ([A-Z_]+)=/gm)].map(
    ([, name]) => name as string,
  )
  const ofNode = ['NODE_ENV', 'NODE_OPTIONS']
  const names = [
    ...Object.keys(settings),
    ...containers.flatMap(({ container }) => (container.env ?? []).map(({ name }) => name)),
    ...Object.keys(compose),
    ...image.filter((name) => !ofNode.includes(name)),
  ]

  expect(names).toContain('TEST_LISTEN')
  expect(names.filter((name) => !readSettings.has(name))).toEqual([])
  expect(readConfig({ ...secrets, ...settings })).toMatchObject({ trustProxy: true })
})

test('no manifest contains a secret', () => {
  const plain = containers.flatMap(({ container }) =>
    (container.env ?? []).filter(({ value }) => value !== undefined),
  )

  expect(plain).toEqual([])
  expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([])
  expect(Object.keys(settings).filter((name) => /KEY|PASSWORD|SECRET|_URL$/.test(name))).toEqual([
    'LIVE_BASE_URL',
    'TEST_BASE_URL',
    'DASHBOARD_BASE_URL',
  ])
})

test('ports match those of the image, and every named port exists', () => {
  const image = Object.fromEntries(
    [...read('Dockerfile').matchAll(/([A-Z]+)_LISTEN=[\d.]+:(\d+)/g)].map(([, n, p]) => [n, Number(p)]),
  )
  const ports = containers.flatMap(({ container }) => container.ports ?? [])
  const text = JSON.stringify(manifests)
  const named = [...text.matchAll(/"(?:targetPort|port)":"([a-z]+)"/g)].map(([, name]) => name as string)

  for (const { name, containerPort } of ports) expect(image[name.toUpperCase()], name).toBe(containerPort)
  expect(settings.OPS_LISTEN).toBe(`0.0.0.0:${image.OPS}`)
  expect(named.filter((name) => !ports.some((port) => port.name === name) && name !== 'http')).toEqual([])
})

test.each(containers.filter(({ name }) => name !== 'migrate'))(
  '$name is probed at paths that respond with 200',
  async ({ container }) => {
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe]
    const paths = probes.map((probe) => probe?.httpGet.path ?? 'none')

    expect(paths).toEqual(['/healthz', '/healthz', '/readyz'])
    for (const path of paths) expect((await ops.inject(path)).statusCode).toBe(200)
    expect(probes.map((probe) => probe?.httpGet.port)).toEqual(['ops', 'ops', 'ops'])
  },
)

test.each(containers)('$name runs an existing command with minimal privileges', ({ container }) => {
  const usage = read('packages/server/src/main.ts')

  expect(usage).toMatch(new RegExp(`^  ${container.args[0]} `, 'm'))
  expect(container.image).toBe('switchyard')
  expect(container.securityContext).toEqual(minimalPrivileges)
  expect(container.resources.requests).toHaveProperty('cpu')
  expect(container.resources.limits).toHaveProperty('memory')
})

const minimalPrivileges = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
} satisfies Container['securityContext']

test.each(pods)('$name runs as an unprivileged user, without a service account token', ({ pod }) => {
  expect(pod.securityContext).toMatchObject({
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  })
  expect(pod.automountServiceAccountToken).toBe(false)
})

test('the termination grace period is longer than a process takes to stop', () => {
  const [, stopTimeout = ''] =
    /const stopTimeoutMs = ([\d_]+)/.exec(read('packages/server/src/main.ts')) ?? []
  expect(stopTimeout, 'the constant of main.ts').not.toBe('')
  const maxStopSeconds = Number(settings.DRAIN_SECONDS) + Number(stopTimeout.replaceAll('_', '')) / 1000

  for (const { name, pod } of pods.filter((entry) => entry.name !== 'migrate'))
    expect(pod.terminationGracePeriodSeconds, name).toBeGreaterThanOrEqual(maxStopSeconds + 5)
})

test.each([...workloads.filter(({ kind }) => kind !== 'Job'), ...statefulSets])(
  '$metadata.name is spread over machines and zones, and at most one of its pods is evicted at a time',
  ({ metadata, spec }) => {
    const keys = spec.template.spec.topologySpreadConstraints?.map(({ topologyKey }) => topologyKey)
    const budgets = manifests.filter(
      ({ kind, spec }) =>
        kind === 'PodDisruptionBudget' &&
        spec.selector?.matchLabels?.['app.kubernetes.io/component'] === metadata.name,
    )

    expect(keys).toEqual(['kubernetes.io/hostname', 'topology.kubernetes.io/zone'])
    expect(budgets.map((budget) => budget.spec)).toEqual([expect.objectContaining({ maxUnavailable: 1 })])
  },
)

test('NATS runs the image of compose.yaml with minimal privileges, and accepts its configuration', async () => {
  const [{ spec }, ...others] = statefulSets as [Manifest]
  const [container, ...sidecars] = spec.template.spec.containers as [Container]
  const { image } = parse(read('compose.yaml'), { merge: true }).services.nats
  const server = await findNatsServer()
  const configuration = join(root, 'deploy/kubernetes/components/nats/nats.conf')
  const env = { SERVER_NAME: 'nats-0', CLIENT_PASSWORD: 'client', CLUSTER_PASSWORD: 'cluster' }

  expect([...others, ...sidecars]).toEqual([])
  expect(`\${NATS_IMAGE:-${container.image}}`).toBe(image)
  expect(container.securityContext).toEqual(minimalPrivileges)
  expect(container.env?.map(({ name }) => name)).toEqual(Object.keys(env))
  expect(spec.template.spec.securityContext).toMatchObject({ runAsNonRoot: true })
  // `-t` tests the configuration and exits.
  execFileSync(server.binary ?? 'nats-server', ['-t', '-c', configuration], { env, stdio: 'pipe' })
})

test('only migrations and the worker get the credentials of the table owner', () => {
  const owners = containers.filter(({ container }) =>
    (container.env ?? []).some(({ name }) => name === 'DATABASE_OWNER_URL'),
  )

  expect(owners.map(({ name }) => name).toSorted()).toEqual(['migrate', 'worker'])
})

const overlays = ['small', 'production', 'high-availability']

test.runIf(hasKubectl).each(overlays)('the overlay %s renders valid manifests', async (name) => {
  const rendered = renderFolder(`overlays/${name}`)
  const config = rendered.find(({ data }) => data?.DRAIN_SECONDS !== undefined)

  expect(findViolations(rendered)).toEqual([])
  expect(await findSchemaViolations(rendered)).toEqual([])
  expect(readConfig({ ...secrets, ...config?.data }).natsReplicas).toBe(name === 'small' ? 1 : 3)
  expect(JSON.stringify(rendered)).not.toContain('"name":"settings"')
  expect(JSON.stringify(rendered)).not.toContain('"image":"switchyard"')
})

test.runIf(hasKubectl)(
  'with high availability, every deployment has one autoscaler and enough connections',
  () => {
    type Scaler = Manifest & {
      readonly spec: {
        readonly scaleTargetRef: { readonly name: string }
        readonly maxReplicas?: number
        readonly maxReplicaCount?: number
      }
    }
    const scalers = renderFolder('overlays/high-availability').filter(
      (manifest): manifest is Scaler => 'scaleTargetRef' in (manifest.spec ?? {}),
    )
    const [cluster] = renderFolder('postgres').filter(({ kind }) => kind === 'postgresql') as unknown as [
      { spec: { postgresql: { parameters: { max_connections: string } } } },
    ]
    const pods = scalers.map(({ spec }) => spec.maxReplicas ?? spec.maxReplicaCount ?? 0)
    const connections = (Number(settings.DATABASE_POOL) + 10) * pods.reduce((sum, count) => sum + count, 0)

    expect(scalers.map(({ spec }) => spec.scaleTargetRef.name).toSorted()).toEqual(['api', 'worker'])
    expect(Number(cluster.spec.postgresql.parameters.max_connections)).toBeGreaterThan(connections)
  },
)
