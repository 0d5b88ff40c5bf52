// What is deployed fits what is deployed there: settings, ports, probes, commands and time to stop are those of the
// code, and no pod may do more than it has to.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../src/config.ts'
import { createOps } from '../../src/platform/http/ops.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { testMasterKeys } from '../support/master-keys.ts'
import {
  type Container,
  faultsOf,
  hasKubectl,
  type Manifest,
  renderOverlay,
  writtenManifests,
} from './support/manifests.ts'
import { root } from './support/repository.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const manifests = writtenManifests()
const running = manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
const pods = running.map(({ metadata, spec }) => ({ name: metadata.name, pod: spec.template.spec }))
const containers = pods.flatMap(({ name, pod }) => pod.containers.map((container) => ({ name, container })))
const settings = Object.fromEntries<string>(
  parse(read('deploy/kubernetes/base/kustomization.yaml')).configMapGenerator[0].literals.map(
    (line: string) => line.split(/=(.*)/s).slice(0, 2),
  ),
)
const secrets = { DATABASE_URL: 'postgres://a:b@db:5432/switchyard', MASTER_KEYS: testMasterKeys }

/** What configuration asks for when it is read. */
function settingsRead(): ReadonlySet<string> {
  const asked = new Set<string>()
  const given: { readonly [name: string]: string } = { ...secrets, SMTP_URL: 'smtp://a', MAIL_FROM: 'a@b' }
  readConfig(
    new Proxy(given, {
      get(environment, name) {
        asked.add(String(name))
        return environment[String(name)]
      },
    }),
  )
  return asked
}

const ops = createOps(createMetrics(), async () => ({ ready: true, notes: [] }))
afterAll(() => ops.close())

test('every manifest is one, with no member that does not exist', () => {
  expect(manifests.length).toBeGreaterThan(15)
  expect(faultsOf(manifests)).toEqual([])
})

test('a member that does not exist, or has the wrong type, would be noticed', () => {
  const [one] = running
  const withMember = (member: object) => ({ ...one, spec: { ...one?.spec, ...member } }) as Manifest

  const faults = faultsOf([withMember({ replicass: 3 }), withMember({ minReadySeconds: 'ten' })])

  expect(faults).toHaveLength(2)
  expect(faults[0]).toContain('replicass')
})

test('every setting that is named exists, and the settings of the base are accepted', () => {
  const asked = settingsRead()
  const compose = parse(read('compose.yaml'))['x-switchyard'].environment
  const image = [...read('Dockerfile').matchAll(/^(?:ENV| {3}) ([A-Z_]+)=/gm)].map(
    ([, name]) => name as string,
  )
  const named = [
    ...Object.keys(settings),
    ...containers.flatMap(({ container }) => (container.env ?? []).map(({ name }) => name)),
    ...Object.keys(compose),
    ...image.filter((name) => name !== 'NODE_ENV'),
  ]

  expect(named).toContain('TEST_LISTEN')
  expect(named.filter((name) => !asked.has(name))).toEqual([])
  expect(readConfig({ ...secrets, ...settings })).toMatchObject({ trustProxy: true })
})

test('nothing secret stands in a manifest', () => {
  const plain = containers.flatMap(({ container }) =>
    (container.env ?? []).filter(({ value }) => value !== undefined),
  )

  expect(plain).toEqual([])
  expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([])
  expect(Object.keys(settings).filter((name) => /KEY|PASSWORD|SECRET|_URL$/.test(name))).toEqual([
    ...['LIVE_BASE_URL', 'TEST_BASE_URL', 'DASHBOARD_BASE_URL'],
  ])
})

test('ports are those on which the image listens, and whoever names one finds it', () => {
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
  '$name is probed where it answers',
  async ({ container }) => {
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe]
    const paths = probes.map((probe) => probe?.httpGet.path ?? 'none')

    expect(paths).toEqual(['/healthz', '/healthz', '/readyz'])
    for (const path of paths) expect((await ops.inject(path)).statusCode).toBe(200)
    expect(probes.map((probe) => probe?.httpGet.port)).toEqual(['ops', 'ops', 'ops'])
  },
)

test.each(containers)(
  '$name runs a command that exists, and may do no more than it has to',
  ({ container }) => {
    const usage = read('packages/server/src/main.ts')

    expect(usage).toMatch(new RegExp(`^  ${container.args[0]} `, 'm'))
    expect(container.image).toBe('switchyard')
    expect(container.securityContext).toEqual(bound)
    expect(container.resources.requests).toHaveProperty('cpu')
    expect(container.resources.limits).toHaveProperty('memory')
  },
)

const bound = {
  ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
  capabilities: { drop: ['ALL'] },
} satisfies Container['securityContext']

test.each(pods)('$name is nobody in its pod, and gets no token of the cluster', ({ pod }) => {
  expect(pod.securityContext).toMatchObject({
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  })
  expect(pod.automountServiceAccountToken).toBe(false)
})

test('pods have longer to stop than a process takes', () => {
  const [, patience = ''] = /const patienceMs = ([\d_]+)/.exec(read('packages/server/src/main.ts')) ?? []
  const longest = Number(settings.DRAIN_SECONDS) + Number(patience.replaceAll('_', '')) / 1000

  for (const { name, pod } of pods.filter((one) => one.name !== 'migrate'))
    expect(pod.terminationGracePeriodSeconds, name).toBeGreaterThanOrEqual(longest + 5)
})

test('only what migrates or does chores may act as the owner of the tables', () => {
  const owners = containers.filter(({ container }) =>
    (container.env ?? []).some(({ name }) => name === 'DATABASE_OWNER_URL'),
  )

  expect(owners.map(({ name }) => name).toSorted()).toEqual(['migrate', 'worker'])
})

test.runIf(hasKubectl).each(['small', 'production'])('the overlay %s is put together, and fits', (name) => {
  const rendered = renderOverlay(name)
  const config = rendered.find(({ kind }) => kind === 'ConfigMap')

  expect(faultsOf(rendered)).toEqual([])
  expect(readConfig({ ...secrets, ...config?.data }).natsReplicas).toBe(name === 'small' ? 1 : 3)
  expect(JSON.stringify(rendered)).not.toContain('"name":"settings"')
  expect(JSON.stringify(rendered)).not.toContain('"image":"switchyard"')
})
